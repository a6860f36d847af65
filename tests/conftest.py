"""How property tests draw: the same cases every time, so that a red suite means a change; `make explore` draws anew."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# No deadlines: a busy machine is no defect. Nor are slow draws.
settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "explore", derandomize=False, print_blob=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
