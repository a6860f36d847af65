"""Look at a rule set itself: check it, and find rules in data."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from constraint_sdc.commands.discover import DiscoverOptions, language_of_target, write_discovered
from constraint_sdc.commands.discover import discover_rules as discover
from constraint_sdc.commands.lint import LintOptions
from constraint_sdc.commands.lint import lint_rules as lint
from constraint_sdc.discovery.proposal import Discovery
from constraint_sdc.engines.running import some_engine
from constraint_sdc.files.frames.frames import IntoDataFrame
from constraint_sdc.library.addresses import reads_addresses
from constraint_sdc.library.keywords import DiscoverKeywords, File, LintKeywords
from constraint_sdc.library.private_files import private_files
from constraint_sdc.library.settle import path_or_none, settle
from constraint_sdc.lint.finding import LintResult


@reads_addresses
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


@some_engine()
@reads_addresses
def discover_rules(
    data: IntoDataFrame | File,
    options: DiscoverOptions | None = None,
    *,
    output: File | None = None,
    overwrite: bool = False,
    **keywords: Unpack[DiscoverKeywords],
) -> Discovery:
    """Propose rules that a file, or a data frame, satisfies: searched in one part of the records, tested on the rest.

    `schema` of the result is Schematron text to edit. The rules are written to `output`, if given, in the language of
    its ending; `unwritten` of the result are those that it cannot say. Every proposed rule holds on every record, but
    for the share of `exceptions`.

    >>> import constraint_sdc as cs
    >>> found = cs.discover_rules("census.xml", seed=1, output="found.txt", overwrite=True)
    >>> found.proposals[0]
    <Proposal sum-V10: V8 + V9 = V10>
    """
    chosen = settle(DiscoverOptions, options, keywords)
    with private_files() as files:
        path = files.data(data, "data.arrow")
        if output is not None:
            language_of_target(path, Path(output), overwrite=overwrite)
        found = discover(path, chosen)
        if output is not None:
            found = write_discovered(found, path, Path(output), chosen, overwrite=overwrite)
        return files.named(found)
