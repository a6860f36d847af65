"""The versions and facts of the machine that a result may depend on, and where a certificate has others."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from typing import Any

from constraint_sdc import __version__
from constraint_sdc.commands.certificate.leaves import leaves, shown_path

# What computes values, or decides what is published: the judge, the solver, and the libraries of numbers.
_LIBRARIES = ("saxonche", "highspy", "numpy", "scipy", "numba", "pywavelets")


def versions() -> dict[str, object]:
    """Return the versions of the program and of what it computes with, and the facts of the machine that matter."""
    return {
        "constraint-sdc": __version__,
        "python": platform.python_version(),
        **_libraries(),
        "platform": dict(_platform()),
    }


@cache
def _libraries() -> Mapping[str, str]:
    """Return the versions of the libraries; they stay what they are while the process runs."""
    return {name: version(name) for name in _LIBRARIES}


@cache
def _platform() -> Mapping[str, str]:
    """Return processor, C library and the library of linear algebra: sums may differ between them in the last digit."""
    import numpy as np

    config: Any = np.show_config(mode="dicts")
    blas = config["Build Dependencies"]["blas"]
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "libc": " ".join(platform.libc_ver()).strip() or "unknown",
        "blas": f"{blas['name']} {blas['version']}",
        "simd": " ".join(config["SIMD Extensions"].get("found", ())) or "baseline",
    }


def differing_versions(certificate: Mapping[str, Any]) -> Iterator[str]:
    """Yield each version and fact that is not the certified one."""
    here, certified = (dict(leaves(found)) for found in (versions(), certificate["versions"]))
    for path in dict.fromkeys((*certified, *here)):
        if here.get(path) != certified.get(path):
            name, now = shown_path(path), here.get(path, "missing")
            yield f"versions: {name} is {now} here, certified {certified.get(path, 'missing')}"
