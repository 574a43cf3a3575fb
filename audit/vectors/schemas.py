"""A JSON Schema for each kind of vectors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .writing import FLAGS, INVALID, RELAXED, SCHEMA, VALID

Schema = dict[str, Any]

_ID: Schema = {"type": "integer", "minimum": 0}
_IDS: Schema = {"type": "array", "items": _ID}
_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_FRACTION: Schema = {"type": "string", "pattern": "^-?[0-9]+/[1-9][0-9]*$"}
_FLOAT: Schema = {"type": "number"}


def _or_null(inner: Schema) -> Schema:
    return {"anyOf": [inner, {"type": "null"}]}


def _list(inner: Schema) -> Schema:
    return {"type": "array", "items": inner}


def _object(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


#: What other schemas refer to.
_DEFINITIONS: dict[str, Schema] = {
    "number": _object({"exact": _FRACTION, "float": _FLOAT}),
    "row": _object({"exact": _list(_or_null(_FRACTION)), "float": _list(_or_null(_FLOAT))}),
    "law": _list(
        _object(
            {
                "ids": {"anyOf": [_IDS, _list(_IDS)]},
                "probability": {"$ref": "#/$defs/number"},
            }
        )
    ),
    "model": _object(
        {
            "vocabulary": _ID,
            "after": _list(_object({"suffix": _IDS, "law": {"$ref": "#/$defs/row"}})),
        }
    ),
    "tokenizer": _object(
        {
            "vocabulary": _list(_or_null(_TEXT)),
            "segmentation": {"enum": ["greedy", "bpe", "unigram"]},
        },
        {
            "merges": _list(_list(_TEXT)),
            "scores": {"type": "object", "additionalProperties": _FRACTION},
            "normalisers": _list(_TEXT),
            "cleaners": _list(_TEXT),
            "unknown": _ID,
            "begin_of_sequence": _ID,
            "end_of_sequence": _ID,
            "specials": {"type": "object", "additionalProperties": _ID},
        },
    ),
    "request": _object(
        {},
        {
            "temperature": {"$ref": "#/$defs/number"},
            "top_p": {"$ref": "#/$defs/number"},
            "min_p": {"$ref": "#/$defs/number"},
            "top_k": _ID,
            "eos": _ID,
            "logits_processor": {"enum": ["no-repeat", "grammar", "halve-by-count"]},
        },
    ),
}
_NUMBER, _ROW, _LAW, _MODEL, _TOKENIZER, _REQUEST = (
    {"$ref": f"#/$defs/{name}"} for name in _DEFINITIONS
)
_MISTAKES = _list(_object({"mistake": _TEXT}, {"psi": _ROW, "scores": _ROW}))
_ROUND: dict[str, Schema] = {
    "vocabulary": _ID,
    "target_rows": _list(_ROW),
    "draft_rows": _list(_ROW),
    "drafts": _IDS,
}
_BOTH = {"target_tokenizer": _TOKENIZER, "drafter_tokenizer": _TOKENIZER}
_DRAFTING = {
    **_BOTH,
    "drafter": _MODEL,
    "context": _IDS,
    "drafter_context": _or_null(_IDS),
    "stop_rule": _TEXT,
}
_COLUMNS = {"vocabulary": _ID, "id_of_column": _list(_or_null(_ID))}

#: For each kind the schemas of `given`, then those of `expect`.
_SHAPES: Mapping[str, tuple[list[Schema], list[Schema]]] = {
    "law": (
        [
            _object(
                {
                    "target": _MODEL,
                    "drafter": _MODEL,
                    "prompts": _list(_IDS),
                    "lookaheads": _IDS,
                    "length": _ID,
                    "request": _REQUEST,
                    "drafts": {"type": "null"},
                    "rule": {"type": "null"},
                }
            ),
            _object({**_ROUND, "rule": {"enum": ["standard", "exact-match"]}}),
        ],
        [_object({"law": _LAW}, {"due": _LAW})],
    ),
    "coin": (
        [
            _object(
                {
                    **_ROUND,
                    "lookahead": _ID,
                    "coins": _object({"accept": _list(_NUMBER), "final": _NUMBER}),
                    "unit": {"enum": ["2^-53", "2^-24"]},
                }
            )
        ],
        [_object({"ids": _IDS, "accepted": _ID, "final": {"enum": ["residual", "bonus"]}})],
    ),
    "rows": (
        [_object({"target_row": _ROW, "draft_row": _ROW})],
        [_object({"acceptance": _ROW, "overlap": _NUMBER, "residual": _or_null(_ROW)})],
    ),
    "tli": (
        [
            _object(
                {
                    "target_vocabulary": _list(_or_null(_TEXT)),
                    "drafter_vocabulary": _list(_or_null(_TEXT)),
                    "target_end_of_sequence": _or_null(_ID),
                    "drafter_end_of_sequence": _or_null(_ID),
                    "target_row": _ROW,
                    "drafter_row": _ROW,
                    "request": _REQUEST,
                }
            )
        ],
        [
            _object(
                {
                    "map": _list(_or_null(_ID)),
                    "q_prime": _or_null(_ROW),
                    "scores": _or_null(_ROW),
                    "acceptance": _NUMBER,
                    "union_acceptance": _NUMBER,
                    "not": _MISTAKES,
                }
            )
        ],
    ),
    "psi": (
        [_object(_DRAFTING)],
        [_object({"psi": _ROW, "no_proposal": _NUMBER, "candidates": _LAW, "not": _MISTAKES})],
    ),
    "psi_k": (
        [_object({**_DRAFTING, "accepted": _IDS})],
        [_object({"psi": _ROW, "no_proposal": _NUMBER, "not": _MISTAKES})],
    ),
    "slem": (
        [_object({**_BOTH, "context": _IDS, "drafts": _IDS})],
        [
            _object(
                {
                    "context_text": _TEXT,
                    "drafter_context": _or_null(_IDS),
                    "draft_text": _TEXT,
                    "candidates": _IDS,
                }
            )
        ],
    ),
    "block": (
        [
            _object(_ROUND),
            _object({"target": _MODEL, "drafter": _MODEL, "prompt": _IDS, "lookahead": _ID}),
        ],
        [
            _object(
                {
                    "kept": _ROW,
                    "thresholds": _ROW,
                    "tau": _ROW,
                    "final": _list(_or_null(_ROW)),
                    "law": _LAW,
                }
            ),
            _object({"accepted": _NUMBER}),
        ],
    ),
    "tokenizer": (
        [
            _object({"tokenizer": _TOKENIZER, "text": _TEXT}),
            _object({"tokenizer": _TOKENIZER, "ids": _IDS}),
        ],
        [_object({"ids": _or_null(_IDS), "text": _TEXT})],
    ),
    "stopping": (
        [
            _object(
                {
                    "prompt": _IDS,
                    "new": _IDS,
                    "block": _IDS,
                    "end_of_sequence": _or_null(_ID),
                    "max_new_tokens": _ID,
                }
            )
        ],
        [_object({"ids": _IDS, "ended": _FLAG, "finished": _FLAG})],
    ),
    "pruned": (
        [_object({**_COLUMNS, "columns": _ROW}), _object({**_COLUMNS, "model": _ROW})],
        [_object({"q": _ROW})],
    ),
}


def schema(kind: str) -> Schema:
    """The schema of a kind's file."""
    given, expect = _SHAPES[kind]
    vector = _object(
        {
            "id": {"type": "string", "pattern": "^[a-z0-9_-]+$"},
            "result": {"enum": [VALID, INVALID, RELAXED]},
            "property": _TEXT,
            "shows": _TEXT,
            "flags": {"type": "array", "items": {"enum": sorted(FLAGS)}, "uniqueItems": True},
            "reports": _list({"type": "string", "pattern": "^[^ /]+/[^ /]+ #[0-9]+$"}),
            "given": {"anyOf": given},
            "expect": {"anyOf": [*expect, _object({"refused": _TEXT})]},
        }
    )
    top = _object(
        {
            "schema": {"const": SCHEMA},
            "kind": {"const": kind},
            "shows": _TEXT,
            "conventions": {"type": "object"},
            "vectors": {"type": "array", "items": {"$ref": "#/$defs/vector"}, "minItems": 1},
        }
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"draftproof vectors, kind {kind}",
        **top,
        "$defs": {**_referred_to([vector]), "vector": vector},
    }


def _referred_to(schemas: list[Schema]) -> dict[str, Schema]:
    """The definitions that ``schemas`` need, those that definitions need included."""
    spelled = json.dumps(schemas)
    named = {name: each for name, each in _DEFINITIONS.items() if f'"#/$defs/{name}"' in spelled}
    if all(each in schemas for each in named.values()):
        return named
    return _referred_to([*schemas, *named.values()])
