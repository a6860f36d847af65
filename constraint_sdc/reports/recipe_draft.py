"""The draft of a recipe as YAML with comments: proposals, their evidence, and what a person has to decide."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

from constraint_sdc.calendar import DateNotation
from constraint_sdc.evidence.draft import DraftVariable, RecipeDraft
from constraint_sdc.evidence.kinds import ColumnKind
from constraint_sdc.files.rows_file import element_name, header_of
from constraint_sdc.reports.check.wording import counted
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.reports.terminal import clean, clipped
from constraint_sdc.settings.words import Role

_WIDTH = 120
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_WORDS_OF_YAML = ("true", "false", "null", "y", "n", "yes", "no", "on", "off")
_ROLES = """\
#   quasi-identifier  masked: others may know it, and could find a person or a firm by it
#   confidential      masked: nobody should learn it
#   identifier        names a person or a unit: `remove: true` takes it out of the masked file
#   untouched         published as it is"""

_CHOICES = (Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL, Role.UNTOUCHED, Role.IDENTIFIER)


def recipe_draft_text(draft: RecipeDraft) -> str:
    """Return the draft as a recipe; variables that need a decision have a role that the reader of recipes refuses."""
    parts = (_head, _missing, _weights, _variables, _surroundings, _protect)
    return "\n".join(line for part in parts for line in part(draft)) + "\n"


def _head(draft: RecipeDraft) -> Iterator[str]:
    size = f"{counted(draft.records, 'record')}, {counted(len(draft.variables), 'variable')}"
    what = (
        clean(Path(draft.data).name) if draft.standard is None else f"{clean(Path(draft.data).name)}, {draft.standard}"
    )
    yield f"# A recipe for {what} ({size}), proposed by `constraint-sdc init`."
    if draft.undecided:
        count = counted(len(draft.undecided), "thing")
        yield f"# Decide on {count}: replace every `undecided`. Variables have one of these roles:"
        yield from _ROLES.splitlines()
    else:
        yield "# It is certain that everything is to be masked. Correct what is wrong."
    if not any(map(_may_be_known, draft.variables)):
        yield "# Nothing looks like a quasi-identifier. Decide what others may know, and give it this role."
    said = {"sdmx": "elements"} if draft.is_elements else {} if draft.table is None else draft.table.to_json()
    if said:
        yield f"table: {{{', '.join(f'{name}: {_quoted(value)}' for name, value in said.items())}}}"
    if draft.table is None:
        yield f"record: {_text(draft.record)}"
    yield "# k: 5                     # least number of records that share masked values; `-k` overrides it"


def _missing(draft: RecipeDraft) -> Iterator[str]:
    coded = [variable for variable in draft.variables if variable.missing]
    if coded:
        yield "\nmissing:                   # texts that stand for a missing value; take out what is a value"
    for variable in coded:
        counts = dict(variable.looks.missing)
        said = [f"{clean(code)}: {counted(counts[code], 'record')}" for code in counts]
        said += [f"{clean(code)}: declared in the file" for code in variable.declared]
        codes = ", ".join(map(_quoted, variable.missing))
        yield f"  {_name(draft, variable)}: [{codes}]  # {', '.join(said)}"


def _weights(draft: RecipeDraft) -> Iterator[str]:
    for variable in draft.variables:
        if variable.looks.kind is ColumnKind.WEIGHT:
            name = _name(draft, variable)
            yield f"\n# weights: {name}  # decide: if these are sampling weights, remove the first `#`"


def _variables(draft: RecipeDraft) -> Iterator[str]:
    yield "\nvariables:"
    for variable in draft.variables:
        yield f"  {_name(draft, variable)}:"
        yield from (f"    {line}" for line in (*_comments(variable), *_entries(variable)))


def _comments(variable: DraftVariable) -> Iterator[str]:
    looks = variable.looks
    label = f"{clipped(clean(variable.label), 80)}; " if variable.label else ""
    yield from _comment(f"{label}{looks.kind.value}: {'; '.join(sentences(looks.evidence))}")
    seen = variable.seen
    if seen is not None:
        between = f"from {seen.lowest} to {seen.highest}; " if seen.lowest is not None else ""
        yield from _comment(f"values: {between}for example {', '.join(clipped(clean(e), 40) for e in seen.examples)}")


def _entries(variable: DraftVariable) -> Iterator[str]:
    looks = variable.looks
    if looks.is_certain:
        yield f"role: {looks.role.value}"
    else:
        others = [role.value for role in _CHOICES if role is not looks.role]
        yield f"role: undecided          # decide: {looks.role.value} (proposed), {', '.join(others)}"
    if looks.role is Role.IDENTIFIER:
        yield "remove: true             # or `keep: why it is harmless`; leave this line out for any other role"
    if looks.scale is not None:
        yield f"type: {looks.scale.value}"
    if looks.grid is not None:
        grid = looks.grid.value if isinstance(looks.grid, DateNotation) else looks.grid
        yield f"grid: {'integer' if grid == 0 else grid}"


def _surroundings(draft: RecipeDraft) -> Iterator[str]:
    if draft.surroundings:
        yield "\nsurroundings:              # what is no variable: remove, keep, or {keep: why it is harmless}"
    for one in draft.surroundings:
        said = f"{counted(one.count, 'occurrence')}: {one.kind}"
        if one.is_removed:
            yield f"  {_text(one.path)}: remove  # {said}"
        elif one.is_demanded:
            yield f"  {_text(one.path)}: undecided  # decide: keep (proposed; the format demands it); {said}"
        else:
            yield f"  {_text(one.path)}: undecided  # decide: remove (proposed), keep; {said}"


def _protect(draft: RecipeDraft) -> Iterator[str]:
    yield "\n# Promises about people. Without `protect` the key is every quasi-identifier, with the k of the run."
    yield "# Without any quasi-identifier nothing is promised about linkage: decide what others may know."
    proposed = [_name(draft, variable) for variable in draft.variables if _may_be_known(variable)]
    yield "# protect:"
    names = ", ".join(proposed) or "what others may know"
    for line in wrap(f"key: {{variables: [{names}], k: 5}}", _WIDTH - 4, break_long_words=False):
        yield f"#   {line}"


def _may_be_known(variable: DraftVariable) -> bool:
    looks = variable.looks
    is_hinted = any(reason.code == "looks-known-to-others" for reason in looks.evidence)
    return is_hinted or looks.role is Role.QUASI_IDENTIFIER


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(text, _WIDTH - 8, break_long_words=False, break_on_hyphens=False)]


def _name(draft: RecipeDraft, variable: DraftVariable) -> str:
    """Return what the recipe calls a variable: the header of a column, if that is no other element's name."""
    header = variable.name if draft.table is None else header_of(variable.name)
    return _text(header if element_name(header) == variable.name else variable.name)


def _text(name: str) -> str:
    """Return a name as YAML: quoted unless it is certainly read as the same text."""
    is_plain = _PLAIN_NAME.fullmatch(name) is not None and name.casefold() not in _WORDS_OF_YAML
    return name if is_plain else _quoted(name)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
