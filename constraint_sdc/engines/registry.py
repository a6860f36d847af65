"""Every engine by its name."""

from __future__ import annotations

from constraint_sdc.engines.engine import Engine, EngineKind, EngineSettings
from constraint_sdc.plugins import Registry

ENGINES: Registry[EngineKind] = Registry(
    kind="engine",
    folders=("constraint_sdc.engines",),
    group="constraint_sdc.engines",
    protocol=EngineKind,
    first=("serial", "processes", "dask"),
)
"""All engines: ours and installed ones."""


def start_engine(settings: EngineSettings) -> Engine:
    """Return the engine of these settings, ready to work; close it after use."""
    return ENGINES[settings.chosen].start(settings)
