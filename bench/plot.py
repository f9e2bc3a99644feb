"""`lumen lab recall --plot`: quality beside time as SVG, a panel for each dataset, a point for each engine."""

from __future__ import annotations

from html import escape
from math import ceil, floor, log10

from bench.peers import known_peers
from lumen.core.canon import JSON

WIDTH, HEIGHT = 500, 340  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 50, 165, 40, 50
ROW = 15  # between two labels
STYLE = (
    "text{font:12px sans-serif;fill:#444}.title{font-weight:bold}.grid{stroke:#ccc}"
    ".peer{fill:#888}.own{fill:#c33}.bar{stroke:#888}"
    "@media(prefers-color-scheme:dark){text{fill:#ccc}.grid{stroke:#444}}"
)
OWN = "Lumen"
Point = tuple[str, float, tuple[float, float, float]]  # an engine, its time, hit@5 and its interval


def drawn(told: dict[str, JSON]) -> str:
    """The datasets of a run side by side."""
    panels = {name: _points(part) for name, part in told.items() if isinstance(part, dict)}
    times = [time for points in panels.values() for _, time, _ in points]
    span = (floor(log10(min(times))), ceil(log10(max(times))))
    parts = [_panel(n, name, points, span) for n, (name, points) in enumerate(panels.items())]
    wide = WIDTH * len(panels)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {HEIGHT}" role="img">'
    what = "<title>hit@5 beside the processor time of a question</title>"
    return "\n".join([head, what, f"<style>{STYLE}</style>", *parts, "</svg>\n"])


def _points(part: dict[str, JSON]) -> list[Point]:
    titles = {name: peer.title for name, peer in known_peers().items()}
    every = {OWN: part} | {titles[name]: one for name, one in part["peers"].items()}
    return [
        (name, max(one["cpu_ms"]["p50"], 0.001), one["recall"]["hit@5"])
        for name, one in every.items()
        if "missing" not in one
    ]


def _panel(number: int, name: str, points: list[Point], span: tuple[int, int]) -> str:
    low, high = span

    def across(time: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (log10(time) - low) / max(high - low, 1)

    def up(hit: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * hit

    drawn_parts = [f'<text class="title" x="{LEFT}" y="20">{escape(name)}: hit@5</text>']
    for tenth in range(0, 11, 2):
        y = up(tenth / 10)
        drawn_parts.append(_line("grid", LEFT, y, WIDTH - RIGHT, y))
        drawn_parts.append(_text(LEFT - 8, y + 4, f"{tenth / 10:.1f}", "end"))
    for power in range(low, high + 1):
        x = across(10.0**power)
        drawn_parts.append(_line("grid", x, TOP, x, HEIGHT - BOTTOM))
        drawn_parts.append(_text(x, HEIGHT - BOTTOM + 18, f"{10.0**power:g}", "middle"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    drawn_parts.append(_text(middle, HEIGHT - 12, "CPU ms a question (p50)", "middle"))
    below = 0.0
    for label, time, (hit, least, most) in sorted(points, key=lambda p: -p[2][0]):
        x, y = across(time), up(hit)
        below = max(y + 4, below + ROW)
        kind = "own" if label == OWN else "peer"
        drawn_parts.append(_line("bar", x, up(least), x, up(most)))
        drawn_parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>')
        drawn_parts.append(_line("grid", x + 5, y, WIDTH - RIGHT + 4, below - 4))
        drawn_parts.append(_text(WIDTH - RIGHT + 6, below, f"{label} {hit:.2f}", "start"))
    return f'<g transform="translate({number * WIDTH} 0)">{"".join(drawn_parts)}</g>'


def _line(kind: str, x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<line class="{kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
