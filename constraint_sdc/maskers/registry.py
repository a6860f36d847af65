"""The maskers by name: the built-in ones, and those that other distributions register as `constraint_sdc.maskers`.

What a third-party masker declares about itself is only information for the user. For every masker the written file is
read back, judged by the rules and counted for k in the same way; a file that fails is not published.
"""

from __future__ import annotations

from constraint_sdc.maskers.masker import Masker
from constraint_sdc.settings.plugins import PlugIns

DEFAULT = "microaggregation"

REGISTRY: PlugIns[Masker] = PlugIns(
    kind="masker",
    group="constraint_sdc.maskers",
    base=Masker,
    built_in={
        DEFAULT: "constraint_sdc.maskers.microaggregation.masker:Microaggregation",
        "microhybrid": "constraint_sdc.maskers.microhybrid.masker:Microhybrid",
        "fuzzy-c-means": "constraint_sdc.maskers.fuzzy.masker:FuzzyCMeans",
        "group-anonymity": "constraint_sdc.maskers.group_anonymity.masker:GroupAnonymity",
    },
)


def masker_names() -> tuple[str, ...]:
    """Return the names of all maskers, the default first."""
    return REGISTRY.names()


def find_masker(name: str) -> type[Masker]:
    """Return the masker of this name; its parameters are its fields."""
    return REGISTRY.find(name)


def default_masker() -> Masker:
    """Return the masker of a run that names none."""
    return find_masker(DEFAULT)()
