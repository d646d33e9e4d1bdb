"""The lattice of levels as a picture: strong levels above weak ones, a history on each edge.

Levels that no history separates share a box. A full line leads from a level up to the next
stronger one; its label names a history that the lower one holds and the upper one forbids. A
dashed line joins two incomparable levels, with a history for each direction.
"""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from isodelta.report.pictures.svg import Element, add, markup, picture
from isodelta.report.views.theory import LatticeEdge, LatticePicture

_CHARACTER = 7.9
_LINE = 18.0
_PADDING = 10.0
_GAP = 84.0
_BETWEEN = 58.0
_MARGIN = 8.0

Box = tuple[float, float, float, float]
"""Left, top, width and height."""


def lattice_svg(lattice: LatticePicture, ident: str) -> Markup:
    """Draws the lattice; labels are links to the findings with their histories."""
    boxes, width, height = _boxes(lattice)
    root = picture(width, height, ident, "The lattice of isolation levels", _described(lattice))
    apart: dict[frozenset[int], list[LatticeEdge]] = {}
    for edge in lattice.edges:
        if edge.above:
            _draw_above(root, edge, boxes, short=lattice.short_labels)
        else:
            apart.setdefault(frozenset((edge.held, edge.violated)), []).append(edge)
    for edges in apart.values():
        _draw_apart(root, edges, boxes)
    for place, group in enumerate(lattice.groups):
        _draw_box(root, group, boxes[place])
    return markup(root)


def heights(lattice: LatticePicture) -> tuple[int, ...]:
    """The height of each group: the length of the longest path up to it.

    A group with nothing below it is placed just below the next one above it.
    """
    height = [0] * len(lattice.groups)
    upwards = [edge for edge in lattice.edges if edge.above]
    for _ in lattice.groups:
        for edge in upwards:
            height[edge.violated] = max(height[edge.violated], height[edge.held] + 1)
    for place in set(range(len(height))) - {edge.violated for edge in upwards}:
        next_above = [height[edge.violated] for edge in upwards if edge.held == place]
        height[place] = min(next_above, default=1) - 1
    return tuple(height)


def _boxes(lattice: LatticePicture) -> tuple[Mapping[int, Box], float, float]:
    layers: dict[int, list[int]] = {}
    for place, height in enumerate(heights(lattice)):
        layers.setdefault(height, []).append(place)
    sizes = {
        place: (
            max(map(len, group)) * _CHARACTER + 2 * _PADDING,
            len(group) * _LINE + 2 * _PADDING - 4,
        )
        for place, group in enumerate(lattice.groups)
    }
    widths = {
        height: sum(sizes[p][0] for p in layer) + _BETWEEN * (len(layer) - 1)
        for height, layer in layers.items()
    }
    widest = max(widths.values())
    boxes: dict[int, Box] = {}
    top = _MARGIN
    for height in sorted(layers, reverse=True):
        layer = layers[height]
        tall = max(sizes[p][1] for p in layer)
        left = _MARGIN + (widest - widths[height]) / 2
        for place in layer:
            wide, high = sizes[place]
            boxes[place] = (left, top + (tall - high) / 2, wide, high)
            left += wide + _BETWEEN
        top += tall + _GAP
    return boxes, widest + 2 * _MARGIN, top - _GAP + _MARGIN


def _draw_box(root: Element, group: tuple[str, ...], box: Box) -> None:
    left, top, wide, high = box
    add(root, "rect", x=left, y=top, width=wide, height=high, rx=8, class_="node")
    for line, name in enumerate(group):
        y = top + _PADDING + 11 + line * _LINE
        add(root, "text", text=name, x=left + wide / 2, y=y, class_="node-name level-name")


def _draw_above(root: Element, edge: LatticeEdge, boxes: Mapping[int, Box], *, short: bool) -> None:
    low, high = boxes[edge.held], boxes[edge.violated]
    x1, y1 = low[0] + low[2] / 2, low[1]
    x2, y2 = high[0] + high[2] / 2, high[1] + high[3]
    add(root, "line", x1=x1, y1=y1, x2=x2, y2=y2, class_="edge")
    text = edge.history.label if short else f"{edge.history.label}: {edge.history.anomaly}"
    _label(root, edge, (x1 + x2) / 2, (y1 + y2) / 2, text)


def _draw_apart(root: Element, edges: list[LatticeEdge], boxes: Mapping[int, Box]) -> None:
    left, right = sorted({edges[0].held, edges[0].violated}, key=lambda p: boxes[p][0])
    source, target = boxes[left], boxes[right]
    x1, y1 = source[0] + source[2], source[1] + source[3] / 2
    x2, y2 = target[0], target[1] + target[3] / 2
    add(root, "line", x1=x1, y1=y1, x2=x2, y2=y2, class_="edge log-only")
    for edge in edges:
        rightwards = edge.violated == right
        text = f"{edge.history.label} →" if rightwards else f"← {edge.history.label}"
        up = -14 if rightwards else 14
        _label(root, edge, (x1 + x2) / 2, (y1 + y2) / 2 + up, text)


def _label(root: Element, edge: LatticeEdge, x: float, y: float, text: str) -> None:
    half = len(text) * _CHARACTER / 2 + 3
    link = add(root, "a", href=f"#{edge.history.anchor}")
    steps = "; ".join(f"{name}: {what}" for name, what in edge.history.transactions)
    words = edge.history.schedule or steps
    add(link, "title", text=f"{edge.history.label}, {edge.history.anomaly}: {words}")
    add(link, "rect", x=x - half, y=y - 11, width=2 * half, height=22, rx=4, class_="label-box")
    add(link, "text", text=text, x=x, y=y + 4, class_="edge-label linked")


def _described(lattice: LatticePicture) -> str:
    def named(place: int) -> str:
        return " and ".join(lattice.groups[place])

    sentences = [
        f"{named(edge.violated)} above {named(edge.held)}, by {edge.history.label} "
        f"({edge.history.anomaly})"
        if edge.above
        else f"{named(edge.held)} does not imply {named(edge.violated)}, by "
        f"{edge.history.label} ({edge.history.anomaly})"
        for edge in lattice.edges
    ]
    return "; ".join(sentences) + "."
