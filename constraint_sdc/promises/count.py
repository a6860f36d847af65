"""Count every promise of a run on the written file."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.plan.promised import PromiseCount
from constraint_sdc.promises.closeness import count_closeness
from constraint_sdc.promises.diversity import count_diversity
from constraint_sdc.promises.dominance import count_dominance
from constraint_sdc.promises.key import count_key
from constraint_sdc.promises.release import Release
from constraint_sdc.promises.verbatim import count_copies
from constraint_sdc.settings.protect import Protect


def count_promises(release: Release, protect: Protect) -> tuple[PromiseCount, ...]:
    """Return every promise as it is counted, and what is measured without a promise."""
    return tuple(_counted(release, protect))


def _counted(release: Release, protect: Protect) -> Iterator[PromiseCount]:
    if protect.key is not None:
        yield count_key(release, protect.key)
        key = protect.key.variables or ()
        yield from (count_diversity(release, one, key) for one in protect.diversity)
        yield from (count_closeness(release, near, key) for near in protect.closeness)
    yield count_dominance(release, protect.dominance)
    if release.every_block:
        yield count_copies(release, protect)
