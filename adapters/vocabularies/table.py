"""The audit as text: a table for each part, and what the part means for each algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rich.console import Console
from rich.table import Table

from .audit import Both, VocabularyAudit
from .canonical import Canonical, Example, Rate
from .facts import Facts
from .intersection import share
from .meanings import MEANINGS
from .revisions import Revisions
from .sides import Token
from .spellings import Mismatch
from .wording import decimal, large, listed, or_none, quoted, share_of, token, yes_or_no

Row = tuple[str, str, str]


def print_audit(found: VocabularyAudit, console: Console) -> None:
    """Print every part, the advice last."""
    for role, facts in (("target", found.facts.target), ("drafter", found.facts.drafter)):
        family = f", {facts.family}" if facts.family else ""
        _say(console, f"{role:<8} {facts.name}{family}")
    chosen = found.settings
    _say(
        console,
        f"corpus   {found.characters:,} characters in {found.coverage[-1].target.passages} "
        f"passages; seed {chosen.seed}, up to {chosen.sample:,} single ids, as many pairs of ids, "
        f"and {chosen.cuts:,} cuts tried for each side",
    )
    _part(console, "Vocabularies", "vocabularies", _facts(found.facts))
    _part(console, "Intersection by bytes", "intersection", _intersection(found))
    _coverage(console, found)
    _part(console, "Tokens the other side cannot spell", "expressibility", _unspelled(found))
    _round_trips(console, found)
    _part(console, "Sequences of ids that are not canonical", "ids", _canonical(found.canonical))
    _part(console, "Text appended revises earlier tokens", "revisions", _revisions(found.revisions))
    _psi(console, found)
    _maps(console, found)
    _advice(console, found)


def _say(console: Console, line: str) -> None:
    console.print(line, highlight=False, markup=False)


def _heading(console: Console, title: str) -> None:
    console.print()
    console.print(title, style="bold", highlight=False, markup=False)


def _meaning(console: Console, part: str) -> None:
    for name, sentence in zip(("SLEM", "SLRS", "TLI"), MEANINGS[part], strict=True):
        _say(console, f"  {name + ':':<5} {sentence}")


def _part(console: Console, title: str, part: str, rows: Iterator[Row]) -> None:
    _heading(console, title)
    table = _table("", "target", "drafter")
    for row in rows:
        table.add_row(*row)
    console.print(table, markup=False)
    _meaning(console, part)


def _table(*columns: str, numbers: bool = True) -> Table:
    table = Table(box=None, show_edge=False, pad_edge=True, highlight=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if numbers and index else "left")
    return table


def _rows(both: Both[Any], *measures: tuple[str, Callable[[Any], str]]) -> Iterator[Row]:
    for name, shown in measures:
        yield name, shown(both.target), shown(both.drafter)


def _facts(both: Both[Facts]) -> Iterator[Row]:
    return _rows(
        both,
        ("ids", lambda f: f"{f.ids:,}"),
        ("ids without text: specials, padding, unknown", lambda f: f"{f.without_text:,}"),
        ("end of sequence", lambda f: or_none(f.end_of_sequence)),
        ("put in front of a text", lambda f: " ".join(map(str, f.beginning)) or "nothing"),
        ("encoding puts a space before a letter", lambda f: yes_or_no(f.adds_space)),
        ("ids whose bytes a lower id means too", lambda f: f"{f.duplicates:,}"),
        ("of the 256 bytes, those that are a token", lambda f: str(f.single_bytes)),
        ("ids that are parts of characters", lambda f: f"{f.part_characters:,}"),
        ("bytes of a token: half of the ids have at most", lambda f: _length(f, 0)),
        ("bytes of a token: 99% of the ids have at most", lambda f: _length(f, -1)),
        ("longest token", lambda f: token(f.longest[0], 24) if f.longest else ""),
        ("its bytes", lambda f: f"{len(f.longest[0].hex or '') // 2:,}" if f.longest else ""),
        ("bytes of text per token of the corpus", lambda f: decimal(f.bytes_per_token)),
    )


def _length(facts: Facts, index: int) -> str:
    return str(facts.lengths[index][1]) if facts.lengths else ""


def _intersection(found: VocabularyAudit) -> Iterator[Row]:
    shared = found.intersection
    yield "ids in the intersection", f"{shared.target_ids:,}", f"{shared.drafter_ids:,}"
    yield (
        "share of the ids with text",
        share_of(shared.target_share),
        share_of(shared.drafter_share),
    )
    yield "target ids that several drafter ids mean", f"{shared.merged:,}", ""
    if shared.merged_examples:
        first = shared.merged_examples[0]
        names = f"{' and '.join(str(each.id) for each in first)} mean {token(first[0], 12)}"
        yield "  the first", "", names
    yield "both sides have an end of sequence", yes_or_no(shared.ends_correspond), ""


def _coverage(console: Console, found: VocabularyAudit) -> None:
    _heading(console, "Share of text in the intersection, as each side cuts it")
    table = _table(
        "section",
        "target tokens",
        "that the map reaches",
        "target bytes",
        "drafter tokens",
        "drafter bytes",
        "unreadable passages",
    )
    for each in found.coverage:
        lost = [each.target.unreadable, each.drafter.unreadable]
        table.add_row(
            each.section,
            share_of(each.target.token_share),
            share_of(each.target.mapped_share),
            share_of(each.target.byte_share),
            share_of(each.drafter.token_share),
            share_of(each.drafter.byte_share),
            f"{lost[0]} and {lost[1]}" if any(lost) else "",
        )
    console.print(table, markup=False)


def _unspelled(found: VocabularyAudit) -> Iterator[Row]:
    return _rows(
        found.inexpressible,
        ("tokens", lambda side: f"{len(side.ids):,}"),
        ("share of the corpus's tokens", lambda side: share_of(side.text_share)),
        ("shortest", lambda side: " ".join(token(t, 12) for t in side.examples[:3])),
    )


def _round_trips(console: Console, found: VocabularyAudit) -> None:
    _heading(console, "Texts that do not come back: decode(encode(text)) is another text")
    table = _table(
        "side", "kind", "characters", "combinations", "passages", "smallest", "comes back as"
    )
    for role, trips in (
        ("target", found.round_trips.target),
        ("drafter", found.round_trips.drafter),
    ):
        tried = (trips.characters, trips.combinations, trips.passages)
        table.add_row(role, "tried", *(f"{number:,}" for number in tried), "", "")
        if not trips.kinds:
            table.add_row("", "all come back", "0", "0", "0", "", "")
        for kind in trips.kinds:
            failed = (kind.characters, kind.combinations, kind.passages)
            example = kind.example
            back = "no encoding" if example.back is None else quoted(example.back)
            table.add_row("", kind.kind, *(f"{n:,}" for n in failed), quoted(example.text), back)
    console.print(table, markup=False)
    _meaning(console, "round trips")


def _canonical(both: Both[Canonical]) -> Iterator[Row]:
    return _rows(
        both,
        ("single ids", lambda side: _rate(side.singles)),
        ("smallest", lambda side: _example(side.single_example)),
        ("pairs of ids", lambda side: _rate(side.pairs)),
        ("of these, with bytes of no character", lambda side: f"{side.pairs.cut_characters:,}"),
        ("smallest", lambda side: _example(side.example)),
    )


def _rate(rate: Rate) -> str:
    tried = f"all {rate.tried:,}" if rate.exhaustive else f"{rate.tried:,}"
    return f"{share_of(share(rate.failed, rate.tried))} of {tried}"


def _example(example: Example | None) -> str:
    if example is None:
        return "none"
    new = "no encoding" if example.encoded is None else listed(example.encoded)
    return f"{listed(example.ids)} {quoted(example.text, 12)} -> {new}"


def _revisions(both: Both[Revisions]) -> Iterator[Row]:
    def back(tokens: int, more: bool = False) -> Callable[[Revisions], str]:
        def shown(side: Revisions) -> str:
            if not side.cuts:
                return "n/a"
            hit = sum(n for t, n in side.tokens_back if t == tokens or (more and t > tokens))
            return share_of(hit / side.cuts)

        return shown

    return _rows(
        both,
        ("cuts tried", lambda s: f"{'all ' if s.exhaustive else ''}{s.cuts:,}"),
        ("that change a token", lambda s: share_of(s.revised_share)),
        ("the last token alone", back(1)),
        ("the last two", back(2)),
        ("three or more", back(3, more=True)),
        ("deepest", lambda s: f"{s.deepest.revised} tokens" if s.deepest else "none"),
        (
            "where",
            lambda s: (
                f"{quoted(s.deepest.before[-12:])} + {quoted(s.deepest.after[:6])}"
                if s.deepest
                else ""
            ),
        ),
    )


def _psi(console: Console, found: VocabularyAudit) -> None:
    _heading(console, "What psi costs at a target token, over the drafter's vocabulary")
    table = _table("target tokens", "segmentations", "strict prefixes", "the paper's 2^(m-1)")
    psi = found.psi
    for each in psi.quantiles:
        name = "the most, in the corpus" if each.share == 1 else f"{each.share:.0%} of the corpus"
        table.add_row(name, *map(large, (each.segmentations, each.passes, each.paper)))
    if psi.worst is not None:
        row = (psi.worst.segmentations, psi.worst.passes, psi.worst.paper)
        name = f"the most, in the vocabulary: {token(psi.worst.token, 24)}"
        table.add_row(name, *map(large, row))
    console.print(table, markup=False)
    mean = "" if psi.mean_passes is None else f"; {psi.mean_passes:,.1f} strict prefixes on average"
    _say(
        console,
        f"  of {psi.counted:,} target tokens {psi.single:,} have one segmentation, {psi.none:,} "
        f"none, {psi.above_paper:,} more than 2^(m-1) for their m characters{mean}",
    )
    _meaning(console, "psi")


def _maps(console: Console, found: VocabularyAudit) -> None:
    _heading(console, "Maps by the vocabulary files' strings, against the map by bytes")
    if not found.spelling_maps:
        _say(console, "  the strings of a side are not known")
    else:
        table = _table("map", "matched", "right", "wrong", "specials of one name", "missed")
        for each in found.spelling_maps:
            numbers = (each.matched, each.right, each.wrong, each.named, each.missed)
            table.add_row(each.name, *(f"{number:,}" for number in numbers))
        console.print(table, markup=False)
        last = found.spelling_maps[-1]
        for name, examples in (("wrong", last.wrong_examples), ("missed", last.missed_examples)):
            if examples:
                shown = "; ".join(_mismatch(each) for each in examples[:3])
                _say(console, f"  {name}, {last.name}: {shown}")
    _meaning(console, "maps")


def _mismatch(each: Mismatch) -> str:
    def to(found: Token | None) -> str:
        return "nothing" if found is None else f"{found.id} {token(found, 12)}"

    return (
        f"listed as {quoted(each.spelling or '', 16)}, id {each.drafter.id} "
        f"{token(each.drafter, 12)}: by string {to(each.by_string)}, by bytes {to(each.by_bytes)}"
    )


def _advice(console: Console, found: VocabularyAudit) -> None:
    _heading(console, "Advice, from the tokenizers alone (no model was asked)")
    table = _table("algorithm", "fits", "since", numbers=False)
    for fit in found.advice.fits:
        table.add_row(fit.algorithm, fit.fits, fit.reason)
    console.print(table, markup=False)
    _say(console, f"  {found.advice.first}")
