"""The templates of rules and patterns: which rule takes a node, and what its tests leave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from constraint_sdc.judge.control import CONTROL
from constraint_sdc.judge.stylesheet.access import file_uri
from constraint_sdc.judge.stylesheet.contexts import PassedOn, error_token
from constraint_sdc.judge.stylesheet.counting import record_name
from constraint_sdc.judge.stylesheet.expressions import Author, ours, write_rule_variables
from constraint_sdc.judge.stylesheet.levels import rule_levels
from constraint_sdc.judge.stylesheet.messages import visited_items
from constraint_sdc.judge.stylesheet.sheet import Attributes, SheetPlace, quoted
from constraint_sdc.judge.stylesheet.value_sets import VALUE_SETS, find_lookups
from constraint_sdc.schematron.schema import Assertion, Pattern, Rule
from constraint_sdc.xpath.tokens import target_names


@dataclass(slots=True)
class RuleWriter:
    """Writes the templates of rules and of patterns; `is_report` if the tokens become SVRL.

    In a report a rule leaves the node too where its element needs it, and the later rules of the pattern that match the
    node are asked, which leave that they are suppressed. `inside` is the record element if each record is judged apart:
    the templates of the author's patterns are then applied inside the context node, which is a record.
    """

    author: Author
    guarded: bool
    is_report: bool
    missing: Mapping[str, str] = field(default_factory=dict)
    inside: str | None = None
    rules: int = 0
    assertions: int = 0
    value_sets: dict[str, tuple[str, SheetPlace]] = field(default_factory=dict)

    def write(self, scopes: list[dict[str, str]]) -> None:
        """Write the templates of all patterns; `scopes` are the patterns' variables."""
        for number, pattern in enumerate(self.author.schema.patterns):
            modes: dict[str, PassedOn] = {}
            for index, rule in enumerate(pattern.rules):
                mode = ours(f"pattern{number}-rule{index}" if pattern.is_group else f"pattern{number}")
                passed = modes.setdefault(mode, PassedOn(self.author, mode, scopes[number], self.guarded))
                self._write_template(pattern, rule, passed, len(pattern.rules) - index)
            for passed in modes.values():
                self._write_unmatched(passed)
            self._write_pattern(number, pattern, list(modes), scopes[number])

    def _write_unmatched(self, passed: PassedOn) -> None:
        """Write what happens to a node that no rule takes."""
        with (
            self.author.sheet.element("xsl:template", {"match": ".", "mode": passed.mode, "priority": "-1"}),
            self._unless_taken("()"),
        ):
            passed.write_call()
            self._write_token("0")
        passed.write()

    def _write_template(self, pattern: Pattern, rule: Rule, passed: PassedOn, priority: int) -> None:
        self.rules += 1
        author, sheet = self.author, self.author.sheet
        place = SheetPlace(f"rule context {rule.context!r}", rule.origin)
        context = author.expression(rule.context, rule.origin, passed.scope)
        head = {"match": context, "mode": passed.mode, "priority": str(priority)}
        with (
            sheet.element("xsl:template", head | author.stated(rule.origin), place),
            self._unless_taken(f"map{{'suppressed': {self.rules}, 'node': ., 'item': .}}"),
        ):
            passed.write_call()
            sheet.leaf("xsl:variable", {"name": ours("node"), "select": ".", "version": author.our_version})
            passed.add(rule, self.assertions + 1)
            self._write_rule(pattern, rule, passed.scope)
            if self.is_report and priority > 1 and not pattern.is_group:
                self._write_later_rules()

    @contextmanager
    def _unless_taken(self, suppressed: str) -> Iterator[None]:
        """In a report, write the body for a node that no earlier rule took; else `suppressed`, and ask later rules."""
        sheet, version = self.author.sheet, {"version": self.author.our_version}
        if not self.is_report:
            yield
            return
        taken = {"name": ours("taken"), "select": "false()", "tunnel": "yes"}
        sheet.leaf("xsl:param", taken | version)
        with sheet.element("xsl:choose", version):
            with sheet.element("xsl:when", {"test": f"${ours('taken')}"}):
                sheet.leaf("xsl:sequence", {"select": suppressed})
                if suppressed != "()":
                    sheet.leaf("xsl:next-match")
            with sheet.element("xsl:otherwise"):
                yield

    def _write_later_rules(self) -> None:
        sheet, version = self.author.sheet, {"version": self.author.our_version}
        taken = {"name": ours("taken"), "select": "true()", "tunnel": "yes"}
        with sheet.element("xsl:next-match", version):
            sheet.leaf("xsl:with-param", taken)

    def _write_rule(self, pattern: Pattern, rule: Rule, scope: Mapping[str, str]) -> None:
        author = self.author
        fired = str(self.rules)
        if self.is_report and (pattern.documents is not None or rule_levels(author, rule, scope)):
            fired = f"map{{'fired': {fired}, 'node': ${ours('node')}, 'item': .}}"
        if rule.attribute("visit-each"):
            self._write_token(str(-self.rules))
        if self.guarded:
            self._write_guarded_rule(rule, scope, fired)
            return
        inner = write_rule_variables(author, rule.lets, scope)
        with visited_items(author, rule, inner):
            self._write_token(fired)
            for assertion in rule.assertions:
                self.assertions += 1
                self._write_test(rule, assertion, inner)

    def _write_token(self, token: str) -> None:
        self.author.sheet.leaf("xsl:sequence", {"select": token, "version": self.author.our_version})

    def _write_guarded_rule(self, rule: Rule, scope: Mapping[str, str], fired: str) -> None:
        """Write tests that catch their errors; each contains the rule's variables, whose errors must be caught too."""
        with self._caught(rule, scope, fired):
            self._write_token(fired)
        for assertion in rule.assertions:
            self.assertions += 1
            with self._caught(rule, scope, error_token(self.assertions, f"${ours('node')}")) as inner:
                self._write_test(rule, assertion, inner)

    @contextmanager
    def _caught(self, rule: Rule, scope: Mapping[str, str], instead: str) -> Iterator[Mapping[str, str]]:
        sheet = self.author.sheet
        with sheet.element("xsl:try", {"version": self.author.our_version}):
            inner = write_rule_variables(self.author, rule.lets, scope)
            with visited_items(self.author, rule, inner):
                yield inner
            with sheet.element("xsl:catch", {"errors": "*"}):
                sheet.leaf("xsl:sequence", {"select": instead})

    def _write_test(self, rule: Rule, assertion: Assertion, scope: Mapping[str, str]) -> None:
        author, sheet = self.author, self.author.sheet
        place = SheetPlace(f"test of {assertion.kind} '{assertion.id}'", assertion.origin)
        test = {"test": self._with_lookups(rule, assertion, scope, place)} | author.stated(assertion.origin)
        token = {"select": f"[{self.assertions}, ${ours('node')}, .]", "version": author.our_version}
        is_report = assertion.kind == "report"
        if is_report and assertion.id not in self.missing:
            with sheet.element("xsl:if", test, place):
                sheet.leaf("xsl:sequence", token)
            return
        with sheet.element("xsl:choose"):
            with sheet.element("xsl:when", test, place):
                self._write_verdict(assertion, token if is_report else None)
            with sheet.element("xsl:otherwise"):
                self._write_verdict(assertion, None if is_report else token)

    def _write_verdict(self, assertion: Assertion, token: Attributes | None) -> None:
        """Write what a test leaves: the token of a violation, and a text if a value that it reads is missing."""
        sheet, version = self.author.sheet, self.author.our_version
        if token is not None:
            sheet.leaf("xsl:sequence", token)
        if assertion.id in self.missing:
            word = "held" if token is None else "failed"
            with sheet.element("xsl:if", {"test": self.missing[assertion.id], "version": version}):
                sheet.leaf("xsl:sequence", {"select": quoted(f"{word} {self.assertions}")})

    def _with_lookups(self, rule: Rule, assertion: Assertion, scope: Mapping[str, str], place: SheetPlace) -> str:
        """Return the test with look-ups in value sets; where a set cannot be built, the author's expression decides."""
        author, test = self.author, assertion.test
        steady = author.global_names(scope) - {let.name for let in rule.lets}
        lookups = () if rule.attribute("visit-each") else find_lookups(test, steady, is_xpath1=author.schema.is_xpath1)
        for lookup in reversed(lookups):
            values = author.expression(lookup.values, assertion.origin, scope)
            name = self.value_sets.setdefault(values, (ours(f"values{len(self.value_sets)}"), place))[0]
            function = ours("occurs" if lookup.one else "any-occurs")
            own = test[lookup.start : lookup.end]
            quick = f"(if (exists(${name})) then {function}(${name}, {lookup.item}) else ({own}))"
            test = test[: lookup.start] + quick + test[lookup.end :]
        return author.expression(test, assertion.origin, scope)

    def write_value_sets(self) -> None:
        """Write a variable for each list of values; one that cannot be calculated is empty."""
        sheet = self.author.sheet
        if self.value_sets:
            sheet.raw(VALUE_SETS)
        for values, (name, place) in self.value_sets.items():
            with sheet.element("xsl:variable", {"name": name, "as": "map(*)?"}), sheet.element("xsl:try"):
                stated = self.author.stated(place.origin) | {"version": None}
                sheet.leaf("xsl:sequence", {"select": f"{ours('values')}({values})"} | stated, place)
                sheet.leaf("xsl:catch", {"errors": "*", "select": "()"})

    def _write_pattern(self, number: int, pattern: Pattern, modes: list[str], scope: Mapping[str, str]) -> None:
        sheet = self.author.sheet
        place = SheetPlace(f"pattern '{pattern.id}'", pattern.origin)
        documents = self._write_documents(number, pattern, scope)
        each = self._visited_from if documents is None else f"${documents}"
        visits = f"sum({each} ! count({self._visited(pattern)})) * {len(modes)}"
        sheet.leaf("xsl:variable", {"name": ours(f"visited{number}"), "select": visits}, place)
        with sheet.element("xsl:template", {"name": ours(f"pattern{number}")}):
            if documents is None:
                self._write_visits(pattern, modes, place)
                return
            with sheet.element("xsl:for-each", {"select": f"${documents}"}):
                self._write_visits(pattern, modes, place)

    def _write_documents(self, number: int, pattern: Pattern, scope: Mapping[str, str]) -> str | None:
        """Write the documents of a pattern as a variable, calculated at the root of the judged document."""
        if pattern is CONTROL:
            return ours("control")
        if pattern.documents is None:
            return None
        named, found = ours(f"documents-named{number}"), ours(f"documents{number}")
        place = SheetPlace(f"documents of pattern '{pattern.id}'", pattern.origin)
        self.author.variable_of(named, pattern.documents, place, scope)
        base = quoted(file_uri(pattern.origin.file))
        self.author.sheet.leaf(
            "xsl:variable", {"name": found, "select": f"{ours('subordinate')}({base}, ${named})"}, place
        )
        return found

    def _write_visits(self, pattern: Pattern, modes: list[str], place: SheetPlace) -> None:
        select = self._visited(pattern)
        for mode in modes:
            self.author.sheet.leaf("xsl:apply-templates", {"select": select, "mode": mode}, place)

    @property
    def _visited_from(self) -> str:
        """Return the nodes from which the nodes of a pattern are visited: the root, or every record."""
        return "." if self.inside is None else f"/descendant::{record_name(self.inside)}"

    def _visited(self, pattern: Pattern) -> str:
        """Return a path to every node that some rule may match."""
        if self.inside is None or pattern is CONTROL:
            return _visited(pattern, "/descendant", "/descendant-or-self")
        return _visited(pattern, "descendant-or-self", "descendant-or-self")


def _visited(pattern: Pattern, elements: str, every: str) -> str:
    """Return a path to the named elements when they are known, else to all nodes, by these axes."""
    names: set[str] = set()
    for rule in pattern.rules:
        targets = target_names(rule.context)
        if targets is None:
            return f"{every}::node() ! (., @*)"
        names |= targets
    if "*" in names:
        return f"{elements}::*"
    return " | ".join(f"{elements}::{name}" for name in sorted(names)) or "()"
