"""Look at a rule set itself: check it, and find rules in data."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from constraint_sdc.commands.discover import DiscoverOptions
from constraint_sdc.commands.discover import discover_rules as discover
from constraint_sdc.commands.lint import LintOptions
from constraint_sdc.commands.lint import lint_rules as lint
from constraint_sdc.discovery.proposal import Discovery
from constraint_sdc.library.keywords import DiscoverKeywords, File, LintKeywords
from constraint_sdc.library.settle import path_or_none, settle
from constraint_sdc.lint.finding import LintResult


def lint_rules(
    rules: File, data: File | None = None, options: LintOptions | None = None, **keywords: Unpack[LintKeywords]
) -> LintResult:
    """Check a rule set itself: contradictions, redundant rules, traps of XPath.

    With `data`, also look for rules that its records never exercise, and for names and constants that do not fit it.
    The options are a LintOptions object or its fields as keywords.

    >>> import constraint_sdc as cs
    >>> found = cs.lint_rules("census.sch", "census.xml")
    >>> found
    <LintResult of census.sch: FAIL: 1 warning in 5 rules on 200 records>
    >>> cs.sentence(found.findings[0].reason)
    'none of 200 records satisfies its condition, so that it holds without a test'
    """
    return lint(Path(rules), path_or_none(data), settle(LintOptions, options, keywords))


def discover_rules(
    data: File, options: DiscoverOptions | None = None, **keywords: Unpack[DiscoverKeywords]
) -> Discovery:
    """Propose rules that the data satisfy: searched in one part of the records, tested on the part kept aside.

    `schema` of the result is Schematron text to edit. Every proposed rule holds on every record.

    >>> import constraint_sdc as cs
    >>> found = cs.discover_rules("census.xml", seed=1)
    >>> found.proposals[0]
    <Proposal sum-V10: V8 + V9 = V10>
    """
    return discover(Path(data), settle(DiscoverOptions, options, keywords))
