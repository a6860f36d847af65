"""The maskers by name: the built-in ones, and those that other distributions register as `constraint_sdc.maskers`.

What a third-party masker declares about itself is only information for the user. For every masker the written file is
read back, judged by the rules and counted for k in the same way; a file that fails is not published.
"""

from __future__ import annotations

from constraint_sdc.maskers.masker import Masker
from constraint_sdc.plugins import Registry

DEFAULT = "microaggregation"

MASKERS = Registry[type[Masker]](
    kind="masker",
    folders=("constraint_sdc.maskers",),
    group="constraint_sdc.maskers",
    protocol=Masker,
    first=(DEFAULT, "microhybrid", "fuzzy-c-means", "group-anonymity"),
    holds_classes=True,
)
"""Every masker under its name, the default first; the fields of a class are its parameters."""


def default_masker() -> Masker:
    """Return the masker of a run that names none."""
    return MASKERS[DEFAULT]()
