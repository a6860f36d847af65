"""Random XPath expressions over a record, for tests with Saxon as the oracle: a schema of many asserts, and records.

Elements of the other document have the names of the record's variables, so that a walk that confuses the two is caught.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TypeVar
from xml.sax.saxutils import escape, quoteattr

Choice = TypeVar("Choice")

NAMES = ("A", "B", "C", "D")
TEXTS = ("1", "2", "3", "10", "25", "x", "", "07")
CODES = "".join(f'<c a="{a}" B="{b}"><A>{b}</A><b>{a}</b></c>' for a in TEXTS[:5] for b in ("1", "2", "x"))
CODES_XML = f"<codes>{CODES}</codes>"
KEY = '<xsl:key name="k" match="c" use="@a"/>'


@dataclass
class XPathDraw:
    """Draws expressions of one rule; `bound` are variables in scope. The dot may be in another document.

    `up` leads from the context node to the record: nothing, or `../` from a variable.
    """

    random: Random
    lets: tuple[str, ...] = ()
    up: str = ""
    bound: list[str] = field(default_factory=list)
    is_elsewhere: bool = False

    def truth(self, depth: int) -> str:
        forms = [
            lambda: f"{self.number(depth - 1)} {self.pick('<', '<=', '=', '>', '!=')} {self.number(depth - 1)}",
            lambda: f"{self.text(depth - 1)} {self.pick('=', '!=', 'eq', 'lt')} {self.text(depth - 1)}",
            lambda: f"{self.nodes(depth - 1)} = {self.nodes(depth - 1)}",
            lambda: f"{self.pick('exists', 'empty', 'not', 'boolean')}({self.nodes(depth - 1)})",
            lambda: f"{self.variable()} castable as xs:integer",
            lambda: f"xs:integer({self.variable()}) {self.pick('gt', 'le')} {self.pick('2', '9')}",
            lambda: f"matches({self.text(depth - 1)}, '^[0-9]+$')",
        ]
        if depth > 0:
            forms += [
                lambda: f"({self.truth(depth - 1)} {self.pick('and', 'or')} {self.truth(depth - 1)})",
                lambda: f"not({self.truth(depth - 1)})",
                lambda: f"(if ({self.truth(depth - 1)}) then {self.truth(depth - 1)} else {self.truth(depth - 1)})",
                lambda: self.quantified(depth),
                lambda: f"{self.nodes(depth - 1)} is {self.variable()}" if not self.is_elsewhere else "true()",
            ]
        return self.pick(*forms)()

    def quantified(self, depth: int) -> str:
        source, name = self.nodes(depth - 1), self.fresh()
        body = self.truth(depth - 1)
        self.bound.pop()
        return f"({self.pick('some', 'every')} ${name} in {source} satisfies {body})"

    def number(self, depth: int) -> str:
        forms = [
            lambda: self.pick("0", "1", "2", "10", "2.5"),
            lambda: f"number({self.variable()})",
            lambda: f"count({self.nodes(depth - 1)})",
            lambda: f"string-length({self.text(depth - 1)})",
        ]
        if depth > 0:
            forms += [
                lambda: f"({self.number(depth - 1)} {self.pick('+', '-', '*')} {self.number(depth - 1)})",
                lambda: f"sum({self.nodes(depth - 1)} ! number(.))",
                lambda: f"sum(for $z in {self.nodes(depth - 1)} return string-length($z))",
                lambda: f"(if ({self.truth(depth - 1)}) then {self.number(depth - 1)} else 7)",
            ]
        return self.pick(*forms)()

    def text(self, depth: int) -> str:
        forms = [
            lambda: self.pick("'1'", "'x'", "''", "'2'"),
            lambda: f"string({self.variable()})",
            lambda: f"string-join({self.nodes(depth - 1)}, '-')",
            lambda: f"name(({self.nodes(depth - 1)})[1])",
            lambda: f"string(({self.nodes(depth - 1)})[1])",
        ]
        if depth > 0:
            forms += [
                lambda: f"concat({self.text(depth - 1)}, {self.text(depth - 1)})",
                lambda: f"translate({self.text(depth - 1)}, '123', 'abc')",
                lambda: f"(let $y := {self.nodes(depth - 1)} return string-join($y/.., '+'))",
                lambda: "string()" if not self.is_elsewhere else "string(@a)",
                lambda: "normalize-space(string(.))" if self.random.random() < 0.3 else "local-name(.)",
            ]
        return self.pick(*forms)()

    def variable(self) -> str:
        """Return a path to at most one node of the record."""
        name, other = self.pick(*NAMES), self.pick(*NAMES)
        if self.is_elsewhere:
            return f"current()/{self.up}{name}"
        if self.up:
            return self.pick(".", f"../{name}", f"./../{name}", f"current()/../{name}", f"parent::*/{name}", "text()")
        return self.pick(name, name, f"./{name}", f"current()/{name}", f"{other}/../{name}", f"(.//{name})[1]", "@id")

    def nodes(self, depth: int) -> str:
        name, other = self.pick(*NAMES), self.pick(*NAMES)
        if self.is_elsewhere:
            return self.pick("@a", "A", "b", "../c", "*", f"current()/{self.up}{name}", "@*", ".", "..//A")
        if self.up:
            siblings = f"following-sibling::{name}", f"preceding-sibling::{other}", "following-sibling::*", "../*"
            forms = [self.variable, lambda: f"(. | ../{name})", lambda: self.pick(*siblings), lambda: f"../{name}"]
            return self.pick(*forms)()
        forms = [
            *[lambda: self.variable()] * 4,
            lambda: f"({name} | {other})",
            lambda: f"({name}, {other})[{self.pick('1', '2', 'last()', '. = 2')}]",
            lambda: f"head(({name}, {other}))",
            lambda: f"{name}/text()",
            lambda: f"descendant::{name}",
            lambda: f"self::*/{name}",
            lambda: self.pick(*[f"${b}" for b in (*self.bound, *self.lets)] or ["()"]),
            lambda: self.pick(*[f"${b}/../{name}" for b in self.bound] or ["()"]),
            lambda: self.pick("*", ".", "*[2]", "node()", "..", f"{name}/following-sibling::*", f"*:{name}", "//A"),
            lambda: f"{name}/following-sibling::{other}",
        ]
        if depth > 0:
            forms += [
                lambda: f"{name}[{self.truth(0)}]",
                *[lambda: self.looked_up(depth)] * 3,
                lambda: f"(if ({self.truth(depth - 1)}) then {self.nodes(depth - 1)} else {self.nodes(depth - 1)})",
                lambda: f"(for $w in {self.nodes(depth - 1)} return $w)",
                lambda: f"reverse({self.nodes(depth - 1)})",
            ]
        return self.pick(*forms)()

    def looked_up(self, depth: int) -> str:
        self.is_elsewhere = True
        asked = self.truth(min(depth - 1, 1))
        self.is_elsewhere = False
        path = self.pick(
            f"document('codes.xml')//c[{asked}]",
            f"doc('codes.xml')/codes/c[{asked}]",
            f"$codes//c[{asked}]",
            f"$codes/codes/c[@a = current()/{self.up}{self.pick(*NAMES)}][{asked}]",
            f"key('k', string({self.variable()}), $codes)[{asked}]",
        )
        return path + self.pick("", "/@B", "/A", "[1]/b", "/..")

    def fresh(self) -> str:
        name = f"v{len(self.bound)}"
        self.bound.append(name)
        return name

    def pick(self, *choices: Choice) -> Choice:
        return self.random.choice(choices)


def random_tests(random: Random, count: int) -> dict[str, str]:
    """Return a Schematron pattern for each assert id, each with a context, variables and a test of its own."""
    return {f"r{number}": _pattern(random, f"r{number}") for number in range(count)}


def _pattern(random: Random, name: str) -> str:
    up = random.choice(["", "", "", "../"])
    on_record, draw = XPathDraw(random), XPathDraw(random, up=up)
    node = "Record/B" if up else "Record"
    earlier = f"{node}[{draw.truth(1)}]" if random.random() < 0.3 else None
    narrowed = f"Record[{on_record.truth(1)}]{node[6:]}", f"{node}[{draw.truth(1)}]"
    context = random.choice([node] * 4 + ["Record[A]" + node[6:], *narrowed])
    lets = {f"l{n}": draw.nodes(1) for n in range(random.choice([0, 0, 1, 2]))}
    test = XPathDraw(random, tuple(lets), up).truth(random.choice([1, 2, 3]))
    first = f'<rule context={quoteattr(earlier)}><report id="{name}e" test="false()"/></rule>' if earlier else ""
    variables = "".join(f'<let name="{n}" value={quoteattr(value)}/>' for n, value in lets.items())
    body = f'<assert id="{name}" test={quoteattr(test)}/>'
    return f"<pattern>{first}<rule context={quoteattr(context)}>{variables}{body}</rule></pattern>"


def record_xml(values: dict[str, str | None]) -> str:
    cells = "".join(f"<{n}>{escape(v)}</{n}>" for n, v in values.items() if v is not None and not n.startswith("@"))
    attributes = "".join(f" {n[1:]}={quoteattr(v)}" for n, v in values.items() if v is not None and n.startswith("@"))
    return f"<Record{attributes}>{cells}</Record>"
