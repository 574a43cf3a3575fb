"""Check a standard rule against the vectors: coins, rows and the laws of blocks.

    python reader.py [FOLDER]     FOLDER holds coin.json, rows.json and law.json

Prints the ids of the vectors that fail, then how many passed; exit code 1 if any failed. Put your
own rule in the place of the four functions below. Standard library only.
"""

import json
import sys
from pathlib import Path

LEFT_OUT = set()  # flags that your conventions differ from, such as "final-inverse-cdf"


def acceptance(p, q, x):
    """The probability with which a draft x, drawn from q, is accepted."""
    return min(1.0, p[x] / q[x])


def residual(p, q):
    """The law after a rejection; None where nothing is left, and no rejection can be."""
    left = [max(0.0, a - b) for a, b in zip(p, q, strict=True)]
    return [value / sum(left) for value in left] if sum(left) > 0 else None


def inverted(law, coin):
    """The first id whose cumulative probability exceeds the coin."""
    reached, last = 0.0, 0
    for x, probability in enumerate(law):
        if probability > 0:
            last = x  # where rounding keeps the sum below the coin
        reached += probability
        if coin < reached:
            return x
    return last


def block(target_rows, draft_rows, drafts, accept, final):
    """The ids of one round at given coins."""
    for j, x in enumerate(drafts):
        p, q, coin = target_rows[j], draft_rows[j], accept[j]
        if not coin < acceptance(p, q, x):
            return [*drafts[:j], inverted(residual(p, q) or [], final)]
    return [*drafts, inverted(target_rows[len(drafts)], final)]


def law(target_rows, draft_rows, drafts):
    """The law of one round for given drafts, by the same functions."""
    found, reached = {}, 1.0
    for j, x in enumerate(drafts):
        p, q = target_rows[j], draft_rows[j]
        accepted = acceptance(p, q, x)
        for y, probability in enumerate(residual(p, q) or []):
            ids = (*drafts[:j], y)
            found[ids] = found.get(ids, 0.0) + reached * (1 - accepted) * probability
        reached *= accepted
    for y, probability in enumerate(target_rows[len(drafts)]):
        found[(*drafts, y)] = found.get((*drafts, y), 0.0) + reached * probability
    return found


def near(a, b):
    """Whether two probabilities are the same but for rounding."""
    return (a is None) == (b is None) and (a is None or abs(a - b) <= 1e-12)


def passes(kind, given, expect):
    """Whether the functions above give what a vector expects."""
    rows = [[row["float"] for row in given.get(name, [])] for name in ("target_rows", "draft_rows")]
    if kind == "coin":
        coins = given["coins"]
        accept, final = [u["float"] for u in coins["accept"]], coins["final"]["float"]
        return block(*rows, given["drafts"], accept, final) == expect["ids"]
    if kind == "law":
        due = {tuple(item["ids"]): item["probability"]["float"] for item in expect["law"]}
        found = law(*rows, given["drafts"])
        return all(near(found.get(ids, 0.0), due.get(ids, 0.0)) for ids in {*due, *found})
    p, q = given["target_row"]["float"], given["draft_row"]["float"]
    accepted = [acceptance(p, q, x) if q[x] > 0 else None for x in range(len(p))]
    left, due = residual(p, q), (expect["residual"] or {}).get("float")
    found, wanted = [*accepted, *(left or [])], [*expect["acceptance"]["float"], *(due or [])]
    same = (left is None) == (due is None) and len(found) == len(wanted)
    return same and all(map(near, found, wanted))


folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent
tried = failed = 0
for kind in ("coin", "rows", "law"):
    for vector in json.loads((folder / f"{kind}.json").read_text(encoding="utf-8"))["vectors"]:
        standard = kind != "law" or vector["given"]["rule"] == "standard"
        if vector["result"] != "valid" or not standard or LEFT_OUT & set(vector["flags"]):
            continue
        tried += 1
        if not passes(kind, vector["given"], vector["expect"]):
            failed += 1
            print(vector["id"])
print(f"{tried - failed} of {tried} vectors passed")
sys.exit(0 if tried and not failed else 1)
