"""Variables and the rules that connect them, as a drawing: one panel per block, variables left, rules right.

The drawing is plain SVG without script, style sheet or link, so that it can stand in a page or alone. Places follow
from the order of rules and variables; nothing is random.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from constraint_sdc.constraints.show import RuleList
from constraint_sdc.constraints.show_atom import show_name
from constraint_sdc.plan.plan import BlockPlan, Plan, RulePlan
from constraint_sdc.reports.check.wording import counted
from constraint_sdc.reports.terminal import clean, clipped, legible

_WIDTH, _ROW, _HEAD, _GAP = 960, 22, 34, 14
_VARIABLE_X, _RULE_X = 200, 430
_ID_CHARACTERS, _TEXT_CHARACTERS, _NAME_CHARACTERS = 22, 52, 24
# Eight colours that stay apart for most colour-blind readers (Okabe and Ito), darkened for lines on white.
_COLOURS = ("#0072b2", "#b35900", "#00795c", "#a8457e", "#3d7fa8", "#8a6d00", "#5b4bb0", "#a33c3c")
_GREY = "#5f6673"


@dataclass(frozen=True, slots=True)
class GraphRule:
    """A rule: its id, what it says, and the variables that it connects."""

    id: str
    says: str
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphPanel:
    """A block: its variables, the rules on them, and variables of these rules that are not in the block (`others`)."""

    title: str
    variables: tuple[str, ...]
    rules: tuple[GraphRule, ...]
    others: tuple[str, ...] = ()
    is_block: bool = True


@dataclass(frozen=True, slots=True)
class RuleGraph:
    """All panels of a drawing, and its title."""

    title: str
    panels: tuple[GraphPanel, ...]


def graph_of_rules(rules: RuleList, variables: Iterable[str] = ()) -> RuleGraph:
    """Return the drawing of a rule set; `variables` are those of data, of which some may be in no rule.

    A block is a set of variables that rules connect.
    """
    made = [GraphRule(row.id, row.normal_form, row.variables) for row in rules.rows]
    across = [rule for rule, row in zip(made, rules.rows, strict=True) if row.kind == "cross-record"]
    within = [rule for rule in made if rule not in across]
    panels = [_panel(f"Block {number}", names, within) for number, names in enumerate(rules.blocks, 1)]
    bare = [rule for rule in within if not rule.variables]
    named = {name for rule in made for name in rule.variables}
    panels += [_rest("Rules across records", across)] if across else []
    panels += [_rest("Rules without variables", bare)] if bare else []
    alone = tuple(name for name in variables if name not in named)
    panels += [GraphPanel("In no rule", alone, (), is_block=False)] if alone else []
    return RuleGraph(rules.title or "Rules", tuple(panels))


def graph_of_plan(plan: Plan) -> RuleGraph:
    """Return the drawing of a plan: its blocks, the rules that each keeps, and what no block decides."""
    panels = [_block_panel(block) for block in plan.blocks]
    if plan.rules:
        panels.append(_rest("Rules outside the blocks", [_rule(rule) for rule in plan.rules]))
    told = {name for panel in panels for name in (*panel.variables, *panel.others)}
    kept = tuple(one.name for one in plan.kept if one.name not in told)
    panels += [GraphPanel("Not masked, in no rule", kept, (), is_block=False)] if kept else []
    return RuleGraph(f"Blocks of the plan, k = {plan.k}", tuple(panels))


def _block_panel(block: BlockPlan) -> GraphPanel:
    return _panel(f"Block {block.number}", block.names, [_rule(rule) for rule in block.rules], takes_all=True)


def _rule(rule: RulePlan) -> GraphRule:
    return GraphRule(rule.rule, rule.says, rule.variables)


def _panel(title: str, names: tuple[str, ...], rules: Sequence[GraphRule], *, takes_all: bool = False) -> GraphPanel:
    own = tuple(rule for rule in rules if takes_all or set(rule.variables) & set(names))
    others = dict.fromkeys(name for rule in own for name in rule.variables if name not in names)
    return GraphPanel(title, names, own, tuple(others))


def _rest(title: str, rules: Sequence[GraphRule]) -> GraphPanel:
    names = dict.fromkeys(name for rule in rules for name in rule.variables)
    return GraphPanel(title, (), tuple(rules), tuple(names), is_block=False)


# Drawing.


def render_graph_svg(graph: RuleGraph, *, is_inline: bool = False) -> str:
    """Return the drawing as SVG; inside a page it takes the colours of paper and text from there."""
    parts: list[str] = []
    top = _HEAD + _GAP
    for place, panel in enumerate(graph.panels):
        colour = _COLOURS[place % len(_COLOURS)] if panel.is_block else _GREY
        parts += _drawn_panel(panel, top, colour)
        top += _height(panel) + _GAP
    title = _text(graph.title)
    label = quoteattr(legible(clean(graph.title)))
    size = f' width="{_WIDTH}" height="{top}" color="#1f2430" font-family="system-ui, sans-serif"'
    alone = "" if is_inline else size
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top}" role="img" aria-label={label} '
        f'font-size="12"{alone}>'
    )
    paper = [] if is_inline else [f'<rect width="{_WIDTH}" height="{top}" fill="#ffffff"/>']
    said = f'<text x="16" y="28" font-size="16" font-weight="600" fill="currentColor">{title}</text>'
    return "\n".join([head, f"<title>{title}</title>", *paper, said, *parts, "</svg>"]) + "\n"


def _height(panel: GraphPanel) -> int:
    return _HEAD + _ROW * max(len(panel.variables) + len(panel.others), len(panel.rules), 1)


def _drawn_panel(panel: GraphPanel, top: int, colour: str) -> Iterator[str]:
    height = _height(panel)
    yield (
        f'<rect x="8" y="{top}" width="{_WIDTH - 16}" height="{height}" rx="6" fill="{colour}" fill-opacity="0.06" '
        f'stroke="{colour}" stroke-opacity="0.35"/>'
    )
    counts = counted(len(panel.variables) + len(panel.others), "variable"), counted(len(panel.rules), "rule")
    label = f"{_text(panel.title)}: {counts[0]}" + (f", {counts[1]}" if panel.rules else "")
    yield f'<rect x="20" y="{top + 10}" width="10" height="10" rx="2" fill="{colour}"/>'
    yield f'<text x="36" y="{top + 20}" font-weight="600" fill="currentColor">{label}</text>'
    if not panel.rules:
        yield from _listed(panel.variables, top, colour)
        return
    rules = {rule: _middle(place, len(panel.rules), top, height) for place, rule in enumerate(panel.rules)}
    names = _ordered(panel)
    places = {name: _middle(place, len(names), top, height) for place, name in enumerate(names)}
    for rule, y in rules.items():
        yield from (_line(places[name], y, colour, name in panel.others) for name in rule.variables)
    for name, y in places.items():
        yield from _variable(name, y, colour, name in panel.others)
    for rule, y in rules.items():
        yield from _drawn_rule(rule, y, colour)


def _ordered(panel: GraphPanel) -> list[str]:
    """Return the variables in the order of the middle of their rules, which keeps lines short."""
    names = (*panel.variables, *panel.others)
    found = {name: [i for i, rule in enumerate(panel.rules) if name in rule.variables] for name in names}
    last = float(len(panel.rules))
    return sorted(names, key=lambda name: sum(found[name]) / len(found[name]) if found[name] else last)


def _middle(place: int, count: int, top: int, height: int) -> float:
    room = height - _HEAD
    return round(top + _HEAD - 4 + (place + 0.5) * room / count, 1)


def _line(start: float, end: float, colour: str, is_other: bool) -> str:
    bend = (_VARIABLE_X + _RULE_X) / 2
    dashes = ' stroke-dasharray="4 3"' if is_other else ""
    return (
        f'<path d="M{_VARIABLE_X + 5} {start} C{bend} {start} {bend} {end} {_RULE_X - 5} {end}" fill="none" '
        f'stroke="{colour}" stroke-opacity="0.55" stroke-width="1.3"{dashes}/>'
    )


def _variable(name: str, y: float, colour: str, is_other: bool) -> Iterator[str]:
    fill = "none" if is_other else colour
    yield f'<circle cx="{_VARIABLE_X}" cy="{y}" r="4.5" fill="{fill}" stroke="{colour}" stroke-width="1.5"/>'
    shown = _text(clipped(show_name(name), _NAME_CHARACTERS))
    note = " (not masked here)" if is_other else ""
    yield (
        f'<text x="{_VARIABLE_X - 12}" y="{y + 4}" text-anchor="end" fill="currentColor">{shown}'
        f"<title>{_text(show_name(name))}{note}</title></text>"
    )


def _drawn_rule(rule: GraphRule, y: float, colour: str) -> Iterator[str]:
    yield f'<rect x="{_RULE_X - 5}" y="{y - 5}" width="10" height="10" fill="{colour}"/>'
    name, says = _text(clipped(rule.id, _ID_CHARACTERS)), _text(clipped(rule.says, _TEXT_CHARACTERS))
    yield (
        f'<text x="{_RULE_X + 12}" y="{y + 4}" fill="currentColor"><tspan font-weight="600">{name}</tspan>'
        f'<tspan dx="10">{says}</tspan><title>{_text(rule.id)}: {_text(rule.says)}</title></text>'
    )


def _listed(names: Sequence[str], top: int, colour: str) -> Iterator[str]:
    """Yield the names of variables without rules, one below the other."""
    for place, name in enumerate(names):
        yield from _variable(name, top + _HEAD + 7 + place * _ROW, colour, is_other=False)


def _text(text: str) -> str:
    return escape(legible(clean(text)))
