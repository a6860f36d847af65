"""Where charts are drawn: the one file that knows matplotlib.

The same figures make the same bytes on every machine: no date, no user's settings, no fonts but the library's own for
measuring, and text stays text. Nothing global is left changed; `pyplot` is never touched.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as Tree
from xml.etree.ElementTree import Element

from constraint_sdc.reports.terminal import legible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# A drawn chart made fit for a page under a strict policy: no inline style, ids of its own, colours that can change.
#
# A content security policy without 'unsafe-inline' ignores every `style` attribute, so each property becomes the
# presentation attribute of the same name; a style sheet overrides those, which is how a page shows charts in the
# dark.

INKS: Mapping[str, str] = {
    "ink": "#1d2430",
    "soft": "#5a6575",
    "line": "#d9dee6",
    "paper": "#ffffff",
    "before": "#8a94a3",
    "after": "#0a5caa",
    "s1": "#0b5cab",
    "s2": "#b8520a",
    "s3": "#1c6b3c",
    "s4": "#8e3a9d",
    "s5": "#a5281b",
    "s6": "#00727d",
}
"""The colours of charts by name, as on white paper; a page's style sheet has others for the dark under these names."""

_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_NUMBERS = ("d", "x", "y", "width", "height", "transform", "points")
_NAMES = {colour: name for name, colour in INKS.items()}


@dataclass(frozen=True, slots=True)
class Caption:
    """What a chart is called and what it shows, for those who cannot see it; `texts` replace placeholders in it.

    Names of variables and methods never pass through the drawing library, which reads `$` as mathematics and warns of
    letters that its font lacks: a placeholder is drawn, and the name put in its place.
    """

    title: str
    description: str
    texts: Mapping[str, str] = field(default_factory=dict)


def tidy_svg(drawn: str, name: str, caption: Caption, *, is_inline: bool) -> str:
    """Return a drawn SVG as one element that can stand in a page; ids begin with `name`, unique in the page.

    Inline, it has no size of its own and fills the width that the page gives it.
    """
    root = Tree.fromstring(drawn)
    _drop_furniture(root)
    ids = _new_ids(root, name)
    for element in root.iter():
        element.tag = element.tag.partition("}")[2] or element.tag
        _tidy_element(element, ids, caption.texts)
    _dress_root(root, caption, is_inline)
    return Tree.tostring(root, encoding="unicode") + "\n"


def _drop_furniture(root: Element) -> None:
    """Take out metadata, style elements and the white space between elements."""
    for parent in list(root.iter()):
        for child in list(parent):
            child.tail = None
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
        if len(parent):
            parent.text = None
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag == f"{{{_SVG}}}defs" and not len(child)]:
            parent.remove(child)


def _new_ids(root: Element, name: str) -> dict[str, str]:
    """Return a new id for each one that something in the chart refers to; the others are dropped."""
    used: dict[str, str] = {}
    for element in root.iter():
        found = [
            element.get(_LINK, "")[1:],
            *(m for value in element.attrib.values() for m in _REFERENCE.findall(value)),
        ]
        for old in filter(None, found):
            used.setdefault(old, f"{name}-{len(used) + 1}")
    return used


def _tidy_element(element: Element, ids: Mapping[str, str], texts: Mapping[str, str]) -> None:
    attributes = {**element.attrib, **_properties(element.attrib.pop("style", ""))}
    attributes.pop("style", None)
    element.attrib.clear()
    for key, value in attributes.items():
        match key:
            case "id":
                if value in ids:
                    element.set("id", ids[value])
            case _ if key == _LINK:
                element.set("href", f"#{ids[value[1:]]}")
            case "font-family" | "type":
                pass
            case "transform" if re.match(r"rotate\(-?0 ", value):
                pass
            case _ if key in _NUMBERS:
                element.set(key, _LONG_NUMBER.sub(_rounded, " ".join(value.split())))
            case _:
                element.set(key, _REFERENCE.sub(lambda m: f"url(#{ids[m[1]]})", value))
    _name_colours(element)
    if element.text and element.text in texts:
        element.text = legible(texts[element.text])


def _properties(style: str) -> dict[str, str]:
    """Return the properties of a style attribute.

    >>> _properties("fill: none; stroke-width: 0.8")
    {'fill': 'none', 'stroke-width': '0.8'}
    """
    pairs = (item.partition(":") for item in style.split(";") if item.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def _name_colours(element: Element) -> None:
    """Give an element a class per colour of ours, so that a style sheet can change it."""
    named = [f"{use}-{_NAMES[c]}" for use in ("fill", "stroke") if (c := element.get(use, "").lower()) in _NAMES]
    if named:
        element.set("class", " ".join(named))


def _dress_root(root: Element, caption: Caption, is_inline: bool) -> None:
    size = {key: root.attrib.pop(key).removesuffix("pt") for key in ("width", "height")}
    root.attrib.pop("version", None)
    root.attrib |= {"xmlns": _SVG, "role": "img", "aria-label": legible(caption.title), "stroke-linejoin": "round"}
    root.attrib |= {"font-family": "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"}
    if not is_inline:
        root.attrib |= size
    for place, (tag, text) in enumerate((("title", caption.title), ("desc", caption.description))):
        element = Element(tag)
        element.text = legible(text)
        root.insert(place, element)


# Settings of a user's machine that have nothing to do with how a chart looks; to set them has side effects.
_NOT_LOOKS = ("backend", "interactive", "toolbar", "timezone", "webagg", "tk.", "date.epoch")
_LOOKS = {
    "svg.fonttype": "none",
    "font.size": 10,
    "text.color": INKS["ink"],
    "axes.edgecolor": INKS["soft"],
    "axes.labelcolor": INKS["ink"],
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INKS["soft"],
    "ytick.color": INKS["soft"],
    "xtick.labelcolor": INKS["soft"],
    "ytick.labelcolor": INKS["soft"],
    "figure.facecolor": INKS["paper"],
    "axes.facecolor": "none",
    "legend.frameon": False,
    "savefig.facecolor": "auto",
}


def drawn(
    draw: Callable[[Figure], None], size: tuple[float, float], name: str, caption: Caption, *, is_inline: bool = True
) -> str:
    """Return what `draw` puts on a blank figure of `size` points as SVG; `name` begins every id in it."""
    with _quiet():
        from matplotlib import rc_context, rcParamsDefault  # slow to load; only charts need it
        from matplotlib.figure import Figure

        looks: dict[Any, Any] = {k: v for k, v in rcParamsDefault.items() if not k.startswith(_NOT_LOOKS)}
        with rc_context(looks | _LOOKS | {"svg.hashsalt": name}), StringIO() as stream:
            figure = Figure(figsize=(size[0] / 72, size[1] / 72), dpi=72)
            draw(figure)
            figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
            return tidy_svg(stream.getvalue(), name, caption, is_inline=is_inline)


def panel(figure: Figure, box: tuple[float, float, float, float], size: tuple[float, float]) -> Axes:
    """Return axes at `box` (left, bottom, right, top in points) of a figure of `size`."""
    left, bottom, right, top = box
    return figure.add_axes((left / size[0], bottom / size[1], (right - left) / size[0], (top - bottom) / size[1]))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library's remarks on its caches and fonts, which mean nothing to our users, from their terminal."""
    logger = logging.getLogger("matplotlib")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)
