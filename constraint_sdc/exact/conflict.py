"""Which rules, and which unmasked variables, leave a group without values: a minimal set, by a deletion filter.

J. W. Chinneck and E. W. Dravnieks, Locating minimal infeasible constraint sets in linear programs, ORSA Journal on
Computing 3, 1991. Whether some of the rules can hold is
asked of actual records: each of them is a candidate for the whole group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from constraint_sdc.arrays import Flags, Rows
from constraint_sdc.errors import Conflict
from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.exact.settlement import BlockJudge

_MOST_CELLS = 100_000  # candidates times records of the group that are judged
_FEWEST = 60  # candidates, whatever the size of the group


def most_candidates(members: int) -> int:
    """Return how many records are asked about a group of so many members."""
    return max(_FEWEST, _MOST_CELLS // members)


def find_conflict(judge: BlockJudge, group: int, copies: Candidates, records: Rows) -> Conflict:
    """Return a minimal conflict of a group; `copies` are of actual records, none of which satisfies all its rules."""
    rules = _minimal_rules(judge.verdicts(copies))
    ids = [judge.design.rules[place].id for place in rules]
    read = frozenset(name for rule in ids for name in judge.variables(rule))
    members = judge.groups.rows(group)
    differing = [name for name in _differing(judge, members) if name in read]
    pins = _minimal_pins(differing, lambda names: judge.verdicts_as_if_masked(copies, records, names)[:, rules])
    return Conflict(
        rules=tuple(ids),
        variables=tuple(series.name for series in judge.design.series if series.name in read),
        pins=tuple(pins),
        records=len(members),
        fewest=_fewest(judge, members, pins),
    )


def _minimal_rules(holds: Flags) -> list[int]:
    """Return rules (columns) that no candidate satisfies together, although some satisfies all but any one of them.

    Rules that few candidates break are left out first. Without candidates nothing is known, and all rules remain.
    """
    if not len(holds):
        return list(range(holds.shape[1]))
    left = [int(place) for place in np.argsort((~holds).sum(axis=0), kind="stable")]
    for place in tuple(left):
        rest = [other for other in left if other != place]
        if not holds[:, rest].all(axis=1).any():
            left = rest
    return sorted(left)


def _differing(judge: BlockJudge, members: Rows) -> list[str]:
    """Return the unmasked variables in which the members differ."""
    columns = judge.table.columns
    return [n for n in judge.design.others if n in columns and len(set(columns[n].take(members).texts())) > 1]


def _minimal_pins(pins: list[str], holds: Callable[[list[str]], Flags]) -> list[str]:
    """Return the variables because of which the rules cannot hold; none if they cannot whatever is masked.

    `holds` tells which rules each candidate satisfies if some variables were masked too.
    """
    released: list[str] = []
    for pin in pins:
        if not holds([*released, pin]).all(axis=1).any():
            released.append(pin)
    return [pin for pin in pins if pin not in released]


def _fewest(judge: BlockJudge, members: Rows, pins: list[str]) -> int | None:
    """Return how many records of the file agree with a member in the pins, for the member with the fewest."""
    if not pins:
        return None
    values = list(zip(*(judge.table.columns[name].texts() for name in pins), strict=True))
    counts = Counter(values)
    return min(counts[values[row]] for row in members.tolist())
