"""Edit rules for tests: read from Schematron, or put together from a formula."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

from constraint_sdc.constraints.constraint import Constraint, EditRule, Formula, Kind, atom_variables, atoms
from constraint_sdc.constraints.understand import understand
from constraint_sdc.schematron.load import load_schema
from constraint_sdc.schematron.schema import Assertion, Origin


def written_rules(folder: Path, *tests: str, context: str = "Record") -> tuple[EditRule, ...]:
    """Return rules r1, r2, ... as a statistician writes them."""
    asserts = "".join(f'<assert id="r{i}" test={quoteattr(test)}>broken</assert>' for i, test in enumerate(tests, 1))
    file = folder / "rules.sch"
    file.write_text(
        '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">'
        f"<pattern><rule context={quoteattr(context)}>{asserts}</rule></pattern></schema>"
    )
    return understand(load_schema(file), record="Record")


def rule_of(name: str, formula: Formula) -> EditRule:
    """Return a rule on every record with this meaning."""
    assertion = Assertion(name, True, "assert", "", (), "error", (), (), (), Origin("rules.sch", 1))
    variables = tuple(dict.fromkeys(v for atom in atoms(formula) for v in atom_variables(atom)))
    constraint = Constraint(Kind.GOVERNS, formula, variables, "made for a test")
    return EditRule(assertion, "pattern", "Record", None, None, constraint, True)
