"""What translated rules are about: the records and variables of a file, as XPath names them, and what rules share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from constraint_sdc.languages.xpath_piece import quoted_text

_PLAIN_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")


@dataclass(frozen=True, slots=True)
class RuleSubject:
    """What rules are about: the record element, the prefix of all its names, and texts that stand for no value."""

    record: str = "Record"
    prefix: str = ""
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def records(self) -> str:
        """Return the path of all records."""
        return f"//{self.prefix}{self.record}"

    def step(self, name: str) -> str:
        """Return the path of a variable from its record; the name of an attribute begins with `@`."""
        return name if name.startswith("@") else f"{self.prefix}{name}"

    def filled(self, name: str) -> str:
        """Return the path of a variable that selects it only where it has a value."""
        if name in self.codes:
            return f"{self.step(name)}[not(normalize-space() = {self._no_value(name)})]"
        return f"{self.step(name)}[normalize-space()]"

    def filled_number(self, name: str) -> str:
        """Return the same for a variable that is read as a number.

        A missing code that is a number stands for every way of writing it. The constraint then says `V1 = -9`, which
        masking understands, and not that a text has a form.
        """
        numbers, texts = self._codes_by_kind(name)
        if not numbers:
            return self.filled(name)
        listed = numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"
        filled = f"not(normalize-space() = ('', {', '.join(texts)}))" if texts else "normalize-space()"
        return f"{self.step(name)}[{filled} and not(number() = {listed})]"

    def _codes_by_kind(self, name: str) -> tuple[list[str], list[str]]:
        codes = self.codes.get(name, ())
        numbers = [code for code in codes if _PLAIN_NUMBER.fullmatch(code)]
        return numbers, [quoted_text(code) for code in codes if code not in numbers]

    def is_code(self, name: str) -> str:
        """Return the condition that a variable, read as a number, is a missing code; "" if no code is a number."""
        numbers = self._codes_by_kind(name)[0]
        listed = numbers[0] if len(numbers) == 1 else f"({', '.join(numbers)})"
        return f"number({self.step(name)}) = {listed}" if numbers else ""

    def missing(self, name: str) -> str:
        """Return the condition that a variable has no value."""
        return f"normalize-space({self.step(name)}) = {self._no_value(name)}"

    def present(self, name: str) -> str:
        """Return the condition that a variable has a value."""
        return f"not({self.missing(name)})" if name in self.codes else f"normalize-space({self.step(name)}) != ''"

    def is_value(self, name: str, text: str) -> bool:
        """Tell whether a text is a value of a variable, and not one of those that stand for none."""
        normal = " ".join(text.split())
        return normal != "" and normal not in self.codes.get(name, ())

    def _no_value(self, name: str) -> str:
        texts = ("", *self.codes.get(name, ()))
        return quoted_text(texts[0]) if len(texts) == 1 else f"({', '.join(map(quoted_text, texts))})"


@dataclass(slots=True)
class SharedParts:
    """What the rules of one schema share: values over all records, and keys, by name."""

    lets: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    needs_xpath3: bool = False

    def name_let(self, wished: str, value: str) -> str:
        """Return the name under which a value stands in the schema; equal values share one."""
        return named_value(self.lets, wished, value)

    def name_key(self, wished: str, use: str) -> str:
        """Return the name of a key; equal keys share one."""
        return named_value(self.keys, wished, use)


def named_value(known: dict[str, str], wished: str, value: str) -> str:
    """Return the name of a value among the known ones, to which it is added; names of attributes lose their sign."""
    wished = wished.replace("@", "")
    for name, other in known.items():
        if other == value:
            return name
    name, number = wished, 2
    while name in known:
        name, number = f"{wished}.{number}", number + 1
    known[name] = value
    return name
