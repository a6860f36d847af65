"""Parse the statements of a file: rulesets of data points, `check_datapoint` and `check`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from constraint_sdc.languages.arithmetic_text.parse import text_names
from constraint_sdc.languages.arithmetic_text.tokens import TextToken
from constraint_sdc.languages.formula import RuleCondition, columns_of, implies
from constraint_sdc.languages.rule_book import Place, UntranslatedPartError
from constraint_sdc.languages.vtl.expressions import VtlExpressions
from constraint_sdc.languages.vtl.tokens import vtl_tokens

_STATEMENTS = "'define datapoint ruleset', or NAME := check(...) or check_datapoint(...)"


@dataclass(frozen=True, slots=True)
class VtlRule:
    """One rule: its name, what it says and how it is written, and its error code and level."""

    name: str
    condition: RuleCondition
    text: str
    place: Place
    code: str = ""
    level: str = ""


class VtlStatements(VtlExpressions):
    """Reads a whole file; faults are noted, and reading goes on behind the next semicolon."""

    def __init__(self, source: str) -> None:
        tokens = vtl_tokens(source)
        super().__init__(tokens, texts=text_names(tokens))
        self.lines = source.split("\n")
        self.faults: list[UntranslatedPartError] = []
        self.rulesets: dict[str, Place] = {}
        self.applied: dict[str, TextToken] = {}

    def rules(self) -> list[VtlRule]:
        """Return the rules of the file."""
        found: list[VtlRule] = []
        while self.peek().kind != "end":
            try:
                found += self._statement()
            except UntranslatedPartError as error:
                self.faults.append(error)
                self._skip_behind(";")
        for name, token in self.applied.items():
            if name not in self.rulesets:
                hint = f"define it, or use one of: {', '.join(self.rulesets)}" if self.rulesets else "define it"
                self.faults.append(UntranslatedPartError(f"no ruleset is called {name!r}", token.place, hint))
        if len(self.datasets) > 1:
            names, second = ", ".join(self.datasets), list(self.datasets.values())[1]
            self.faults.append(
                UntranslatedPartError(f"rules of several data sets: {names}", second.place, "write a file for each")
            )
        return found

    def _skip_behind(self, sign: str) -> None:
        self.depth = 0
        while self.peek().kind != "end" and not self.took(sign):
            self.at += 1

    def _statement(self) -> Iterator[VtlRule]:
        self.depth, self.names = 0, None
        if self.took("define"):
            yield from self._ruleset()
            return
        name = self.take_name(f"a statement: {_STATEMENTS}")
        if not self.took(":=", "<-"):
            raise self.unexpected("':=' behind the name of a result")
        if self.took("check"):
            yield self._check(name)
        elif self.took("check_datapoint"):
            self._apply()
        else:
            what = f"{self.peek().text!r} is no rule"
            raise UntranslatedPartError(what, self.peek().place, f"rules are {_STATEMENTS}")
        self.take(";", " behind the statement")

    # Rulesets

    def _ruleset(self) -> Iterator[VtlRule]:
        if not self.took("datapoint"):
            kind = self.peek()
            hint = "rules are about one record: use 'define datapoint ruleset'"
            self._skip_to_end(kind.text)
            raise UntranslatedPartError(f"'define {kind.text}' has no translation", kind.place, hint)
        self.take("ruleset", " behind 'datapoint'")
        own = self.take_name("the name of the ruleset")
        if own.text in self.rulesets:
            raise UntranslatedPartError(f"two rulesets are called {own.text!r}", own.place, "rename one of them")
        self.rulesets[own.text] = own.place
        self.take("(", " behind the name")
        self.names = self._signature()
        self.take("is", " behind the variables")
        number = 0
        while True:
            number += 1
            yield from self._guarded_rule(f"{own.text}_{number}")
            if not self.took(";"):
                break
            if self.is_next("end"):  # a semicolon behind the last rule is no fault of its author
                break
        for word in ("end", "datapoint", "ruleset"):
            self.take(word, " behind the rules")
        self.take(";", " behind the ruleset")

    def _skip_to_end(self, kind: str) -> None:
        """Go to the end of another definition, so that its parts are not reported one by one."""
        while self.peek().kind != "end":
            if self.took("end") and self.is_next(kind):
                return
            self.at += self.peek().kind != "end"

    def _signature(self) -> dict[str, str]:
        if self.is_next("valuedomain"):
            hint = "write 'variable' and the variables"
            raise UntranslatedPartError("rules about value domains have no translation", self.peek().place, hint)
        self.take("variable", " before the variables")
        found: dict[str, str] = {}
        while True:
            name = self.take_name("a variable").text
            alias = self.take_name("a name behind 'as'").text if self.took("as") else name
            found[alias] = name
            if not self.took(","):
                break
        self.take(")", " behind the variables")
        return found

    def _guarded_rule(self, wished: str) -> Iterator[VtlRule]:
        """Yield a rule; one with a fault is skipped to its end, so that the rules below are still read."""
        try:
            yield self._rule(wished)
        except UntranslatedPartError as error:
            self.faults.append(error)
            self.depth = 0
            while self.peek().kind != "end" and not self.is_next(";", "end"):
                self.at += 1

    def _rule(self, wished: str) -> VtlRule:
        start = self.peek()
        name = wished
        if start.kind in ("name", "number") and self.tokens[self.at + 1].text == ":":
            name = self.next().text
            self.next()
        first = self.at
        if self.took("when"):
            when = self.condition()
            self.take("then", " behind the condition")
            condition = implies(when, self.condition())
        else:
            condition = self.condition()
        text = self._shown(first)
        code, level = self._error_words()
        return VtlRule(name, condition, text, start.place, code, level)

    def _error_words(self) -> tuple[str, str]:
        return self._error_word("errorcode"), self._error_word("errorlevel")

    def _error_word(self, word: str) -> str:
        if not self.took(word):
            return ""
        token = self.peek()
        if token.kind not in ("text", "number"):
            raise self.unexpected(f"a number or a text in double quotes behind {word!r}")
        return self.next().text

    def _shown(self, first: int) -> str:
        """Return a rule as it is written, without comments behind its parts."""
        pieces: list[str] = []
        for one, other in zip(self.tokens[first : self.at], self.tokens[first + 1 :], strict=False):
            stop = other.place.column - 1 if other.place.line == one.place.line else None
            piece = self.lines[one.place.line - 1][one.place.column - 1 : stop]
            pieces.append(piece if one.kind == "text" else re.split(r"//|/\*", piece)[0])
            pieces.append("" if stop else " ")
        return " ".join("".join(pieces).split())

    # Checks

    def _apply(self) -> None:
        self.take("(", " behind check_datapoint")
        dataset = self.take_name("the name of a data set")
        self.datasets.setdefault(dataset.text, dataset)
        self.take(",", " behind the data set")
        ruleset = self.take_name("the name of a ruleset")
        self.applied.setdefault(ruleset.text, ruleset)
        if self.is_next("components"):
            hint = "name the components in 'variable' of the ruleset, with 'as' if they differ"
            raise UntranslatedPartError("'components' has no translation", self.peek().place, hint)
        self.took("invalid", "all", "all_measures")
        self.take(")", " behind the ruleset")

    def _check(self, name: TextToken) -> VtlRule:
        self.take("(", " behind check")
        first = self.at
        start = self.peek()
        condition = self._calculated() if self._is_calculation() else self.condition()
        text = self._shown(first)
        if len(columns_of(condition)) > 1 and self.tokens[first + 1].text != "[":
            hint = f"write check({next(iter(self.datasets), 'DS')} [calc ok := a + b = c][keep ok])"
            raise UntranslatedPartError("an operation on several measures of a data set", start.place, hint)
        code, level = self._error_words()
        if self.is_next("imbalance"):
            raise UntranslatedPartError("'imbalance' has no translation", self.peek().place, "leave it out")
        self.took("invalid", "all")
        self.take(")", " behind the condition")
        return VtlRule(name.text, condition, text, name.place, code, level)

    def _is_calculation(self) -> bool:
        return self.peek().kind == "name" and self.tokens[self.at + 1].text == "["

    def _calculated(self) -> RuleCondition:
        """Return the condition of `DS [calc ok := CONDITION][keep ok]`, which leaves one measure."""
        dataset = self.next()
        self.datasets.setdefault(dataset.text, dataset)
        self.take("[")
        self.take("calc", " behind '['")
        own = self.take_name("the name of a measure")
        self.take(":=", " behind the name")
        condition = self.condition()
        self.take("]", " behind the condition")
        self.take("[", f" and 'keep {own.text}': check wants one measure")
        self.take("keep", " behind '['")
        kept = self.take_name("the name of the measure")
        if kept.text != own.text:
            raise UntranslatedPartError(f"keeps {kept.text!r}", kept.place, f"keep {own.text!r}")
        self.take("]", " behind the measure")
        return condition
