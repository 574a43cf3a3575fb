"""Tokenizers built from their description in a vector, in the plainest way there is."""

import re
import unicodedata
from fractions import Fraction
from itertools import pairwise, product

NORMALISERS = {
    "lower-case": str.lower,
    "compose (Unicode NFC)": lambda text: unicodedata.normalize("NFC", text),
    "strip spaces at both ends": lambda text: text.strip(" "),
    "collapse runs of spaces into one": lambda text: re.sub(" +", " ", text),
    "add a space in front, unless there is one or the text is empty": lambda text: (
        text if not text or text[0] == " " else " " + text
    ),
    "add a space in front, unless the text is empty": lambda text: " " + text if text else text,
}
CLEANERS = {
    "drop one space in front": lambda text: text.removeprefix(" "),
    "drop a space before . , ! ?": lambda text: re.sub(r" ([.,!?])", r"\1", text),
}


class Described:
    """A tokenizer from its description."""

    def __init__(self, described):
        self.described = described
        self.pieces = {}
        self.bytes = {}
        for token, piece in enumerate(described["vocabulary"]):
            if piece and re.fullmatch("<0x[0-9A-F]{2}>", piece):
                self.bytes[int(piece[3:5], 16)] = token
            elif piece is not None:
                self.pieces.setdefault(piece, token)
        self.end = described.get("end_of_sequence")

    def encode(self, text):
        """The ids of ``text``, None when it has none."""
        specials = self.described.get("specials", {})
        parts = (
            re.split("(" + "|".join(map(re.escape, specials)) + ")", text) if specials else [text]
        )
        ids = [self.described["begin_of_sequence"]] if "begin_of_sequence" in self.described else []
        for part in parts:
            if part in specials:
                ids.append(specials[part])
                continue
            for name in self.described.get("normalisers", ()):
                part = NORMALISERS[name](part)
            for piece in getattr(self, self.described["segmentation"])(part):
                found = self._ids_of(piece)
                if found is None:
                    return None
                ids += found
        return tuple(ids)

    def _ids_of(self, piece):
        if piece in self.pieces:
            return [self.pieces[piece]]
        if all(byte in self.bytes for byte in piece.encode()):
            return [self.bytes[byte] for byte in piece.encode()]
        unknown = self.described.get("unknown")
        return None if unknown is None else [unknown]

    def greedy(self, text):
        while text:
            fits = [piece for piece in self.pieces if text.startswith(piece)]
            taken = max(fits, key=len, default=text[0])
            yield taken
            text = text[len(taken) :]

    def bpe(self, text):
        symbols = list(text)
        while True:
            pairs = list(pairwise(symbols))
            merge = next((tuple(m) for m in self.described["merges"] if tuple(m) in pairs), None)
            if merge is None:
                return symbols
            merged = []
            for symbol in symbols:
                if merged and (merged[-1], symbol) == merge and merged[-1] is not None:
                    merged[-1] += symbol
                    merged.append(None)  # a boundary: what was merged is not merged again
                else:
                    merged.append(symbol)
            symbols = [symbol for symbol in merged if symbol is not None]

    def unigram(self, text):
        scores = {piece: Fraction(score) for piece, score in self.described["scores"].items()}
        best = None
        for cuts in product([False, True], repeat=max(0, len(text) - 1)):
            pieces = [""]
            for character, cut in zip(text, [False, *cuts], strict=bool(text)):
                pieces = [*pieces, character] if cut else [*pieces[:-1], pieces[-1] + character]
            if text and all(piece in self.pieces for piece in pieces):
                ids = [self.pieces[piece] for piece in pieces]
                key = (-sum(scores[piece] for piece in pieces), len(ids), ids)
                best = min(best or (key, pieces), (key, pieces))
        return best[1] if best else list(text)

    def decode(self, ids):
        """The text of ``ids``."""
        joined = b""
        for token in ids:
            piece = self.described["vocabulary"][token]
            if token == self.described.get("unknown"):
                joined += "\ufffd".encode()
            elif piece is not None:
                is_byte = re.fullmatch("<0x[0-9A-F]{2}>", piece)
                joined += bytes([int(piece[3:5], 16)]) if is_byte else piece.encode()
        text = joined.decode(errors="replace")
        for name in self.described.get("cleaners", ()):
            text = CLEANERS[name](text)
        return text


def proposals(given, target, drafter, law_after):
    """The law of the candidates under the stop rule, over every draft that the rule lets be made.

    ``law_after(ids)`` is the drafter's law after these drafts.
    """
    name, number, cap = re.fullmatch(
        "([a-z]+):([0-9]+)(?:/cap:([0-9]+))?", given["stop_rule"]
    ).groups()
    number, cap = int(number), int(cap or number)
    found = {}

    def text_of(drafts):
        return drafter.decode([d for d in drafts if d != drafter.end])

    def looked_up(drafts, longest):
        ends = [text_of(drafts[: k + 1]) for k in range(len(drafts)) if drafts[k] != drafter.end]
        ids, start, place = [], "", 0
        while place < len(ends):
            fits = [
                k
                for k in range(place, len(ends))
                if ends[k].startswith(start) and ends[k][len(start) :] in target.pieces
            ]
            if not fits:
                break
            taken = fits[-1 if longest else 0]
            ids.append(target.pieces[ends[taken][len(start) :]])
            start, place = ends[taken], taken + 1
        return tuple(ids), not ends or start == ends[-1]

    def certain(text):
        letters = sorted({c for piece in target.pieces for c in piece})
        more = ("".join(x) for n in range(4) for x in product(letters, repeat=n))
        codes = [ids for ids in (target.encode(text + rest) for rest in more) if ids is not None]
        if not codes:
            return cap  # no continuation has an encoding
        return next(
            k
            for k in range(len(min(codes, key=len)) + 1)
            if k == min(map(len, codes)) or len({ids[k] for ids in codes}) > 1
        )

    def done(drafts):
        text = text_of(drafts)
        if len(drafts) >= cap:
            return True
        if name == "characters":
            return len(text) >= number
        if name == "tokens":
            return len(target.encode(text) or ()) >= number
        if name == "determined":
            return certain(text) >= number
        return name == "lookup" and len(looked_up(drafts, False)[0]) >= number

    def add(drafts, mass):
        used = True
        if name in ("lookup", "longest"):
            candidates, used = looked_up(drafts, name == "longest")
        else:
            candidates = target.encode(text_of(drafts)) if text_of(drafts) else ()
        if candidates is None:
            candidates, used = (), False
        if drafts[-1:] == (drafter.end,) and used and target.end is not None:
            candidates = (*candidates, target.end)
        found[candidates] = found.get(candidates, 0) + mass

    waiting = [((), Fraction(1))]
    while waiting:
        drafts, mass = waiting.pop()
        if (drafts and drafts[-1] == drafter.end) or done(drafts):
            add(drafts, mass)
            continue
        waiting += [
            ((*drafts, x), mass * value) for x, value in enumerate(law_after(drafts)) if value
        ]
    return found
