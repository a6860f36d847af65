"""How many cases a property test draws: few and always the same in `make test`, many and new in `make explore`."""

from __future__ import annotations

import os

IS_EXPLORING = os.environ.get("HYPOTHESIS_PROFILE") == "explore"


def draws(steady: int, exploring: int | None = None) -> int:
    """Return the number of cases: `steady` in the suite; in an exploration five times as many, or as many as given."""
    return (exploring or 5 * steady) if IS_EXPLORING else steady
