"""No microdata value leaves in a report unless the user asked for values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from constraint_sdc.judge.finding import CheckResult, Violation
from constraint_sdc.reports.check.render import FORMATS
from constraint_sdc.reports.disclosure import hidden_error
from tests.reports.text_of_report import text_of

SECRET = "93127.58"


def planted(result: CheckResult) -> CheckResult:
    """Put a value wherever the data reach a result: messages, diagnostics, and the text of an XPath error."""

    def plant(violation: Violation) -> Violation:
        return replace(violation, message=f"income {SECRET}", diagnostics=(("hint", f"was {SECRET}"),))

    rules = [replace(rule, violations=tuple(map(plant, rule.violations))) for rule in result.results]
    stopped = replace(rules[0], errors=1, error=f'FORG0001: Cannot convert string "{SECRET}" to an integer')
    return replace(result, results=(stopped, *rules[1:]))


@pytest.mark.parametrize("format", FORMATS)
def test_values_are_hidden_by_default_and_shown_when_asked_for(census: CheckResult, format: str) -> None:
    result = planted(census)
    assert SECRET not in text_of(result, format)
    assert SECRET in text_of(replace(result, shows_values=True), format)


@pytest.mark.parametrize("format", FORMATS)
def test_the_key_that_the_user_named_is_shown(census: CheckResult, format: str) -> None:
    assert "P-00017" in text_of(census, format) or format in ("svrl", "csv-rules")


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        ('Cannot convert string "sec ret" to an integer', "Cannot convert string [hidden] to an integer"),
        ('Cannot convert string "a"b" to xs:decimal: invalid character \'a\'', "Cannot convert string [hidden]"),
        ('Invalid date "2020-99-01" (Month is out of range)', "Invalid date [hidden] (Month is out of range)"),
        ("cannot convert double 1.5E300 to an integer", "cannot convert double [hidden] to an integer"),
        ("value -12,500.75 is out of range", "value [hidden] is out of range"),
        ("FORG0001: Integer division by zero", "FORG0001: Integer division by zero"),
        ("cannot compare xs:untypedAtomic to xs:integer", "cannot compare xs:untypedAtomic to xs:integer"),
        ("FOER0000: Jones 4711, Müller-Lüdenscheidt", "FOER0000: [hidden]"),
        ("Smith_4711: of the value", "[hidden] of the value"),
        ("FOCA0002: Invalid QName Smith", "FOCA0002: Invalid [hidden]"),
        ("the type isn't defined", "the type isn't defined"),
    ],
)
def test_an_error_loses_the_value_and_keeps_the_reason(error: str, shown: str) -> None:
    assert hidden_error(error) == shown
