from __future__ import annotations

import pytest

from constraint_sdc.constraints.show import RuleList, RuleRow
from constraint_sdc.judge.finding import CheckResult, RuleResult, Violation
from constraint_sdc.schematron.schema import Origin
from constraint_sdc.settings.reason import because

SCH = "rules/census.sch"


def _violation(rule: str, record: int, summary: str, message: str) -> Violation:
    location = f"/Records/Record[{record}]"
    return Violation(rule, record, f"P-{record:05d}", record + 2, location, summary, message)


@pytest.fixture
def census() -> CheckResult:
    """A checked census extract: two rules broken at the gate, one below it, one that never applies, one clean."""
    total = tuple(
        _violation("total", n, "V9 + V10 is [V14], not V14", f"V9 + V10 is {n * 10}, not V14") for n in (17, 1204, 9981)
    )
    tenure = (_violation("tenure", 17, "rent without a lease", "rent without a lease"),)
    late = (
        _violation("late", 5, "received [Date]", "received 2021-03-01"),
        _violation("late", 6, "received [Date], unsigned", "received 2021-03-02, unsigned"),
    )
    return CheckResult(
        data="data/census.xml",
        rules=SCH,
        title="Census edits",
        phase="#ALL",
        binding="xslt2",
        records=12_000,
        fail_on="error",
        results=(
            RuleResult(
                "total", "sums", "assert", "error", "number(V9) + number(V10) = number(V14)", Origin(SCH, 14),
                12_000, 42, 0, None, "vectorised", total, "Record", (), False, 0, 0,
            ),
            RuleResult(
                "income-range", "ranges", "assert", "error", "0 <= number(V3) and number(V3) <= 7500", Origin(SCH, 21),
                12_000, 0, 0, None, "vectorised", (), "Record", (), False, 0, 0,
            ),
            RuleResult(
                "tenure", "governs", "report", "error", "Tenure = 'rent' and not(Lease)", Origin(SCH, 28),
                8_400, 1, 0, None, "saxon", tenure, "Record[Tenure]", (), False, 0, 0,
            ),
            RuleResult(
                "late", "dates", "assert", "warning", "Date < '2021-01-01'", Origin(SCH, 35),
                12_000, 2, 0, None, "saxon", late, "Record", (), False, 0, 0,
            ),
            RuleResult(
                "institution", "dates", "assert", "information", "Beds > 0", Origin(SCH, 40),
                0, 0, 0, None, "vectorised", (), "Institution", (), False, 0, 0,
            ),
        ),
        broken_records=44,
    )  # fmt: skip


@pytest.fixture
def invoice() -> CheckResult:
    """A checked document without rows, on one rule of which XPath stops."""
    where = "/Invoice/Line[3]/Amount"
    late = Violation("amount", None, None, 31, where, "amount [.] is negative", "amount -5 is negative")
    return CheckResult(
        data="invoice.xml",
        rules="invoice.sch",
        title="",
        phase="#ALL",
        binding="xslt3",
        records=None,
        fail_on="error",
        results=(
            RuleResult(
                "amount", "lines", "assert", "error", ". >= 0", Origin("invoice.sch", 4),
                7, 1, 0, None, "saxon", (late,), "Amount",
            ),
            RuleResult(
                "year", "lines", "assert", "error", "xs:integer(@year) > 2000", Origin("invoice.sch", 9),
                7, 0, 2, 'FORG0001: Cannot convert string "MMXX" to an integer', "saxon", (), "Line",
            ),
        ),
        notes=(because("judged-as-document", line=3, quotes={"why": "Line is not always a row"}),),
    )  # fmt: skip


@pytest.fixture
def typed_rules() -> RuleList:
    """The five rules of the 2009 paper, and two that are not understood."""

    def row(
        name: str, kind: str, paper: str, variables: str, form: str, line: int, reason: str, **others: object
    ) -> RuleRow:
        given = {"context": "Record", "test": "...", "is_record_local": True, "engine": "vectorised"} | others
        return RuleRow(name, kind, paper, tuple(variables.split()), form, "error", Origin(SCH, line), reason, **given)  # type: ignore[arg-type]

    return RuleList(
        rows=(
            row("c1", "linear", "EC-LC", "V9 V10 V14", "V9 + V10 - V14 = 0", 14, "a sum"),
            row("c2", "non-linear", "EC-NLC", "V5 V15 V16", "V5 * V15 = V16", 18, "a product"),
            row("c3", "possible values", "EC-PV", "V3", "0 <= V3 <= 7500", 22, "bounds of one variable"),
            row("c4", "governs", "EC-GV", "V8 V13 V12", "V8 >= 1115 or V13 <= V12", 26, "a disjunction"),
            row("c5", "value domain", "EC-VD", "V1", "V1 in $original//Record/V1", 30, "a path into the original"),
            row(
                "code", "opaque", "-", "Code", "opaque", 34, "translate() has no place in a constraint",
                test="translate(Code, '01', '') = ''", engine="saxon",
            ),
            row(
                "unique", "cross-record", "-", "Id", "cross-record", 38, "preceding-sibling:: leaves the record",
                test="not(@Id = preceding-sibling::Record/@Id)", engine="saxon", is_record_local=False,
            ),
        ),
        blocks=(("V9", "V10", "V14"), ("V5", "V15", "V16"), ("V8", "V13", "V12")),
        title="Census edits",
        binding="xslt2",
        phase="#ALL",
        file=SCH,
    )  # fmt: skip
