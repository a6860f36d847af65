"""Missing values: on how many of the nodes that a rule judges a value that its test reads is missing.

A value is missing if its element or attribute is absent, empty, nil or white space alone, or if its text is a missing
code of the recipe. XPath's verdict on such a node counts like any other: a test may hold because a comparison with
nothing is false, or fail for the same reason. The counts say on how many of these nodes a value was missing, so that
"holds" is not taken for more than it is. Where it is not known what a test reads, they are not known either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from constraint_sdc.constraints.rule_names import ValuesRead, values_read
from constraint_sdc.data.table import Table
from constraint_sdc.judge.missing_rows import MissingCodes, MissingInRows, is_missing, normal_space
from constraint_sdc.judge.stylesheet.expressions import ours
from constraint_sdc.judge.stylesheet.sheet import quoted
from constraint_sdc.schematron.schema import Schema


@dataclass(frozen=True, slots=True)
class MissingValues:
    """What the tests of a schema read of a record, and which texts are missing codes.

    `lacking` are the variables of which some record has no value; None if that is not known beforehand.
    """

    reads: Mapping[str, ValuesRead | None] = field(default_factory=dict)
    codes: MissingCodes = field(default_factory=dict)
    lacking: frozenset[str] | None = None

    def variables(self, rule: str) -> tuple[str, ...] | None:
        """Return the variables that a rule's test reads; None if that is not known."""
        read = self.reads.get(rule)
        return None if read is None else read.names

    def conditions(self, rules: Iterable[str]) -> dict[str, str]:
        """Return for each rule an XPath condition at its context node: a value that its test reads is missing.

        A rule is left out if that is not known, or if no record lacks such a value.
        """
        found = {}
        for rule in rules:
            read = self.reads.get(rule)
            names = () if read is None else self._may_lack(read.names)
            if read is not None and names:
                found[rule] = " or ".join(self._condition(read.record, name) for name in names)
        return found

    def of_rows(self) -> MissingInRows:
        """Return what tells where single records lack values."""
        reads = {rule: None if read is None else read.names for rule, read in self.reads.items()}
        return MissingInRows(reads, self.codes)

    def _may_lack(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return names if self.lacking is None else tuple(name for name in names if name in self.lacking)

    def _condition(self, record: str, name: str) -> str:
        up = "" if record == "." else "/.."
        texts = ", ".join(quoted(text) for text in ("", *map(normal_space, self.codes.get(name, ()))))
        return f"normalize-space(head(${ours('node')}{up}/{_step(name)})) = ({texts})"


def missing_values(
    schema: Schema,
    record: str,
    outside: Collection[str],
    *,
    codes: MissingCodes,
    given: frozenset[str] = frozenset(),
    table: Table | None = None,
) -> MissingValues:
    """Return what the tests of a schema read of the records of a file; `table` has the records if it is in memory."""
    read = values_read(schema, record, frozenset(outside), given)
    reads = {
        rule: None if found is None or not all(map(_has_step, found.names)) else found for rule, found in read.items()
    }
    if table is None:
        return MissingValues(reads, codes)
    names = {name for read in reads.values() if read is not None for name in read.names}
    lacking = (
        name
        for name in names
        if name not in table.columns or is_missing(table.columns[name], codes.get(name, ())).any()
    )
    return MissingValues(reads, codes, frozenset(lacking))


def _has_step(name: str) -> bool:
    """Tell whether XPath can name a variable by its namespace, in which there must be no braces."""
    return name.count("{") == name.count("}") <= 1


def _step(name: str) -> str:
    attribute, bare = ("@", name[1:]) if name.startswith("@") else ("", name)
    return f"{attribute}Q{bare}" if bare.startswith("{") else f"{attribute}Q{{}}{bare}"
