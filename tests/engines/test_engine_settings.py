"""Settings of engines that contradict themselves or would have no effect are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.engines import engine
from constraint_sdc.engines.engine import EngineSettings, Tls
from constraint_sdc.engines.registry import start_engine
from constraint_sdc.errors import EngineError, UsageError

TLS = Tls(Path("ca.pem"), Path("cert.pem"), Path("key.pem"))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"workers": 0}, "0 workers cannot work"),
        ({"name": "serial", "workers": 2}, "--workers has no meaning here"),
        ({"scheduler": "tcp://127.0.0.1:8786"}, "--scheduler has no meaning here"),
        ({"name": "dask", "scheduler": "127.0.0.1:8786"}, "is not the address of a scheduler"),
        ({"name": "dask", "scheduler": "tcp://127.0.0.1:8786", "workers": 3}, "--workers has no meaning here"),
        ({"name": "dask", "scheduler": "tcp://127.0.0.1:8786", "tls": TLS}, "do not fit"),
        ({"name": "dask", "scheduler": "tls://127.0.0.1:8786"}, "do not fit"),
        ({"name": "dask", "tls": TLS}, "TLS files have no meaning here"),
        ({"scratch": Path("/no/such/place")}, "is not a directory"),
    ],
)
def test_settings_that_cannot_be_obeyed_are_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        EngineSettings(**settings)


def test_an_unknown_engine_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="use one of: serial, processes, dask"):
        start_engine(EngineSettings("spark"))


@pytest.mark.parametrize(
    ("cores", "workers", "name"), [(1, None, "serial"), (2, None, "processes"), (8, 1, "serial"), (1, 2, "processes")]
)
def test_auto_takes_processes_where_several_can_work(
    monkeypatch: pytest.MonkeyPatch, cores: int, workers: int | None, name: str
) -> None:
    monkeypatch.setattr(engine, "cores", lambda: cores)
    assert EngineSettings(workers=workers).chosen == name


def test_a_scheduler_that_does_not_answer_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from constraint_sdc.engines import dask_cluster

    monkeypatch.setattr(dask_cluster, "_CONNECTING", "200ms")
    with pytest.raises(EngineError, match=r"the scheduler at tcp://127\.0\.0\.1:9 does not answer"):
        start_engine(EngineSettings("dask", scheduler="tcp://127.0.0.1:9"))
