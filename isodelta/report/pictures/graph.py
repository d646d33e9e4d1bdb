"""The direct serialization graph as a picture; the cycle is marked by thickness and in words.

Nodes are placed on a circle, readable for the few transactions of a minimal history.
Several dependencies between the same two transactions share one arrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import cos, hypot, pi, sin

from markupsafe import Markup

from isodelta.report.pictures.schedule import mark, version_label
from isodelta.report.pictures.svg import CHARACTER_WIDTH, Element, add, markup, picture, shortened
from isodelta.runs.results import RunResult

_NODE = 27.0
_MARGIN = 22.0
_KINDS = ("ww", "wr", "rw", "log")

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Arrow:
    """All dependencies from one transaction to another, drawn as one arrow."""

    source: str
    target: str
    kinds: tuple[str, ...]
    in_cycle: bool

    @property
    def label(self) -> str:
        return " + ".join(self.kinds)


def graph_arrows(edges: Iterable[tuple[str, str, str]], cycle: Iterable[str]) -> tuple[Arrow, ...]:
    """Join edges (source, target, kind) into arrows, and mark those on the cycle.

    ``cycle`` names its first transaction again at its end.
    """
    around = set(pairwise(cycle))
    kinds: dict[tuple[str, str], set[str]] = {}
    for source, target, kind in edges:
        kinds.setdefault((source, target), set()).add(kind)
    return tuple(
        Arrow(source, target, tuple(sorted(between, key=_kind_order)), (source, target) in around)
        for (source, target), between in kinds.items()
    )


def graph_nodes(result: RunResult | None) -> dict[str, str]:
    """The transactions that were not refused, with the version to write below their names."""
    nodes = {}
    for name, ended in ({} if result is None else result.transactions).items():
        if mark(ended) != "conflict":
            version = ended.commit_version
            snapshot = f"at {version_label(ended.read_version)}"
            nodes[name] = snapshot if version is None else f"v{version}"
    return nodes


def graph_svg(
    nodes: Mapping[str, str], arrows: tuple[Arrow, ...], level: str, ident: str
) -> Markup:
    """Draw the graph. ``nodes`` are the transactions, with a word to write below each name."""
    names = list(nodes)
    for arrow in arrows:
        names += [name for name in (arrow.source, arrow.target) if name not in names]
    widths = {name: _half_width(name) for name in names}
    places, width, height = _places(names, max(widths.values(), default=_NODE))
    root = picture(
        width, height, ident, f"Dependency graph for {level}", _description(names, arrows)
    )
    taken = {(arrow.source, arrow.target) for arrow in arrows}
    labels: list[tuple[Point, Arrow]] = []
    for arrow in sorted(arrows, key=lambda a: a.in_cycle):
        if arrow.source == arrow.target:
            continue
        both_ways = (arrow.target, arrow.source) in taken
        middle = _draw_arrow(root, arrow, places, widths, 34.0 if both_ways else 0.0)
        labels.append((middle, arrow))
    for name in names:
        _draw_node(root, name, places[name], nodes.get(name, ""))
    for (x, y), arrow in labels:
        half = len(arrow.label) * CHARACTER_WIDTH / 2 + 5
        add(root, "rect", x=x - half, y=y - 9, width=2 * half, height=18, rx=4, class_="label-box")
        style = "edge-label cycle" if arrow.in_cycle else "edge-label"
        add(root, "text", text=arrow.label, x=x, y=y + 4, class_=style)
    return markup(root)


def _half_width(name: str) -> float:
    return max(_NODE, len(shortened(name)) * CHARACTER_WIDTH * 0.62 + 10)


def _places(names: list[str], half: float) -> tuple[dict[str, Point], float, float]:
    left = _MARGIN + half
    if len(names) <= 2:
        gap = 2 * half + 130.0 if len(names) == 2 else 0.0
        row = {name: (left + i * gap, 72.0) for i, name in enumerate(names)}
        return row, 2 * left + gap, 144.0
    radius = 84.0 + 22.0 * max(len(names) - 4, 0)
    stretch = 1.08 + (half - _NODE) / 100
    centre_x, centre_y = radius * stretch + left, radius + 40.0
    places = {
        name: (
            centre_x + radius * stretch * cos(2 * pi * i / len(names) - pi / 2),
            centre_y + radius * sin(2 * pi * i / len(names) - pi / 2),
        )
        for i, name in enumerate(names)
    }
    lowest = max(y for _, y in places.values())
    return places, 2 * centre_x, lowest + 46.0


def _draw_arrow(
    root: Element,
    arrow: Arrow,
    places: dict[str, Point],
    widths: dict[str, float],
    bend: float,
) -> Point:
    (x1, y1), (x2, y2) = places[arrow.source], places[arrow.target]
    length = hypot(x2 - x1, y2 - y1) or 1.0
    normal = ((y2 - y1) / length, -(x2 - x1) / length)
    control = ((x1 + x2) / 2 + normal[0] * 2 * bend, (y1 + y2) / 2 + normal[1] * 2 * bend)
    start = _rim((x1, y1), control, widths[arrow.source], 0.0)
    tip = _rim((x2, y2), control, widths[arrow.target], 3.0)
    base = _towards(tip, control, 9.0)
    style = "edge cycle" if arrow.in_cycle else "edge"
    if arrow.kinds == ("log",):
        style += " log-only"
    add(
        root,
        "path",
        d=f"M{start[0]:.1f} {start[1]:.1f}Q{control[0]:.1f} {control[1]:.1f} "
        f"{base[0]:.1f} {base[1]:.1f}",
        class_=style,
    )
    across = (-(tip[1] - base[1]) / 9.0, (tip[0] - base[0]) / 9.0)
    corners = [tip, *((base[0] + s * 5 * across[0], base[1] + s * 5 * across[1]) for s in (1, -1))]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    add(root, "polygon", points=points, class_="head cycle" if arrow.in_cycle else "head")
    return (
        (start[0] + 2 * control[0] + tip[0]) / 4,
        (start[1] + 2 * control[1] + tip[1]) / 4,
    )


def _draw_node(root: Element, name: str, place: Point, below: str) -> None:
    half = _half_width(name)
    node = add(root, "ellipse", cx=place[0], cy=place[1], rx=half, ry=_NODE, class_="node")
    add(node, "title", text=name)
    up = 2 if below else 5
    add(root, "text", text=shortened(name), x=place[0], y=place[1] + up, class_="node-name")
    if below:
        place_below = {"x": place[0], "y": place[1] + 15}
        add(root, "text", text=shortened(below, 8), class_="node-version", **place_below)


def _rim(centre: Point, target: Point, half: float, gap: float) -> Point:
    """The point at which the line from a node's centre to the target leaves the node."""
    across, down = target[0] - centre[0], target[1] - centre[1]
    length = hypot(across, down) or 1.0
    reach = half * _NODE / (hypot(_NODE * across / length, half * down / length) or 1.0)
    return _towards(centre, target, reach + gap)


def _towards(origin: Point, target: Point, distance: float) -> Point:
    length = hypot(target[0] - origin[0], target[1] - origin[1]) or 1.0
    return (
        origin[0] + (target[0] - origin[0]) / length * distance,
        origin[1] + (target[1] - origin[1]) / length * distance,
    )


def _kind_order(kind: str) -> tuple[int, str]:
    return (_KINDS.index(kind) if kind in _KINDS else len(_KINDS), kind)


def _description(names: list[str], arrows: tuple[Arrow, ...]) -> str:
    if not arrows:
        return f"Transactions {', '.join(names)}; no dependency between them is recorded."
    dependencies = "; ".join(
        f"{a.source} to {a.target}: {a.label}{', on the cycle' if a.in_cycle else ''}"
        for a in arrows
    )
    return f"Transactions {', '.join(names)}. {dependencies}."
