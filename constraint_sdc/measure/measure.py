"""What a measure is: its parameters are stored by the constructor, and one method does the work."""

from __future__ import annotations

from typing import ClassVar, Protocol

from constraint_sdc.model.assessment import Measured
from constraint_sdc.model.pair import Pair


class Measure(Protocol):
    """A measure or an attack. `name` is also the name of its documentation page."""

    name: ClassVar[str]
    title: ClassVar[str]

    def measure(self, pair: Pair) -> Measured:
        """Return what it finds in the pair; the same pair and parameters find the same."""
        ...
