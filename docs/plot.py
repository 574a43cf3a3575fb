"""The picture of the gallery page: what four algorithms accept on every two-vocabulary pair."""

from __future__ import annotations

from draftproof.reference import program
from draftproof.toymodels import gallery

#: Colours that differ in brightness too, and a shape each.
SERIES = {
    "union": ("#8c8c8c", "M-4,-4H4V4H-4Z"),
    "tli": ("#d55e00", "M0,-6L6,5H-6Z"),
    "slem": ("#0072b2", "M0,-6L6,0L0,6L-6,0Z"),
    "slrs": ("#009e73", "M-5,0A5,5 0 1,0 5,0A5,5 0 1,0 -5,0Z"),
}
LEFT, WIDTH, ROW, TOP, BOTTOM = 170, 560, 22, 46, 34


def acceptance() -> str:
    """An SVG: pairs down, the first candidate's exact acceptance across, two drafts a round."""
    rows = []
    for each in gallery():
        if each.pair.same_vocabulary:
            continue
        values = {}
        for name in SERIES:
            formula = program(name, 2).acceptance
            if formula is not None and (name != "tli" or each.pair.intersection):
                values[name] = float(formula(each.pair, each.prompt))
        if len(set(values.values())) > 1:
            rows.append((each.name, values))
    height = TOP + ROW * len(rows) + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 30} {height}" '
        'font-family="sans-serif" font-size="12" fill="#222">',
        "<title>Acceptance of the first candidate, two drafts, by pair and algorithm</title>",
        f'<rect width="{LEFT + WIDTH + 30}" height="{height}" fill="#fff"/>',
        *_legend(),
        *_grid(height),
    ]
    for number, (name, values) in enumerate(rows):
        y = TOP + ROW * number + ROW // 2
        parts.append(f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{name}</text>')
        low, high = (LEFT + WIDTH * f(values.values()) for f in (min, max))
        parts.append(f'<path d="M{low:.1f},{y}H{high:.1f}" stroke="#ccc" stroke-width="2"/>')
        parts += [
            _mark(series, LEFT + WIDTH * value, y + 3.5 * (place - 1.5))
            for place, (series, value) in enumerate(values.items())
        ]
    return "\n".join([*parts, "</svg>", ""])


def _mark(series: str, x: float, y: float) -> str:
    colour, shape = SERIES[series]
    return (
        f'<path transform="translate({x:.1f},{y}) scale(0.8)" d="{shape}" fill="{colour}" '
        'fill-opacity="0.85" stroke="#fff" stroke-width="0.6"/>'
    )


def _legend() -> list[str]:
    parts = []
    for number, name in enumerate(SERIES):
        x = LEFT + 90 * number
        parts += [_mark(name, x + 6, 18), f'<text x="{x + 18}" y="22">{name}</text>']
    return parts


def _grid(height: int) -> list[str]:
    parts = []
    for quarter in range(5):
        x, foot = LEFT + WIDTH * quarter / 4, height - BOTTOM
        parts.append(f'<path d="M{x:.1f},{TOP - 6}V{foot}" stroke="#eee"/>')
        parts.append(
            f'<text x="{x:.1f}" y="{foot + 18}" text-anchor="middle">{quarter / 4:g}</text>'
        )
    return parts
