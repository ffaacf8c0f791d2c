"""A simulation as a picture. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape

from bethink.simulation.household import KINDS
from bethink.simulation.run import Simulation, Snapshot

COLOURS = ("#2f6db5", "#e08a2e", "#4f9d5d")
WIDTH, HEIGHT, LEFT, TOP, ROOM, LINE = 720, 200, 64, 30, 60, 18
Series = tuple[str, Callable[[Snapshot], float]]
SIZE: Sequence[Series] = (
    ("messages said", lambda one: one.observed),
    ("messages archived", lambda one: one.archived),
    ("entries that recall searches", lambda one: one.searched),
)


def picture(simulation: Simulation) -> str:
    """An SVG: how the memory grew, and what of it was recalled."""
    recalled: list[Series] = [(f"{kind} and recalled", _share(kind)) for kind in KINDS]
    most = max((one.observed for one in simulation.snapshots), default=1)
    first = _panel(simulation.snapshots, SIZE, TOP, float(most), "{:,.0f}")
    second = _panel(simulation.snapshots, recalled, TOP + HEIGHT + ROOM, 100.0, "{:.0f} %")
    height = TOP + 2 * (HEIGHT + ROOM)
    title = f"{simulation.years:g} years, {simulation.per_day} messages a day"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}"'
        f' height="{height}" font-family="sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{_text(LEFT, TOP - 12, title)}\n'
        f"{first}\n{second}\n</svg>\n"
    )


def _share(kind: str) -> Callable[[Snapshot], float]:
    def share(one: Snapshot) -> float:
        recalled = one.recalled[kind]
        return 100 * recalled.found / recalled.planted if recalled.planted else 100.0

    return share


def _panel(snapshots: Sequence[Snapshot], series: Sequence[Series], top: int, most: float, form: str) -> str:
    width = WIDTH - 2 * LEFT
    days = max((one.day for one in snapshots), default=1)
    parts = [_rule(top, share / 4, form.format(most * share / 4)) for share in range(5)]
    for number, (name, value) in enumerate(series):
        points = " ".join(
            f"{LEFT + width * one.day / days:.1f},{top + HEIGHT * (1 - value(one) / most):.1f}"
            for one in snapshots
        )
        colour, left = COLOURS[number], LEFT + number * width / len(series)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<rect x="{left:.1f}" y="{top + HEIGHT + 12}" width="12" height="12" fill="{colour}"/>')
        parts.append(_text(left + 18, top + HEIGHT + 12 + 10, name))
    return "\n".join(parts)


def _rule(top: int, share: float, label: str) -> str:
    y = top + HEIGHT * (1 - share)
    rule = f'<line x1="{LEFT}" x2="{WIDTH - LEFT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
    return rule + _text(LEFT - 6, y + 4, label, "end")


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
