"""Arrays of scratch files travel to a worker by their place, and nothing else is opened for it."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.engines import engine, parcel
from constraint_sdc.engines import scratch as scratch_module
from constraint_sdc.engines.parcel import packed_bytes, unpacked
from constraint_sdc.engines.scratch import Scratch, array_in_place, handle_of


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scratch:
    monkeypatch.setattr(scratch_module, "MAPPED_ABOVE", 1000)
    return Scratch(tmp_path)


def test_an_array_on_disk_is_not_sent(scratch: Scratch) -> None:
    values = scratch.kept(np.arange(10_000.0).reshape(-1, 2))
    for sent in (values, values[100:], values[:, :1]):
        parcel_size = len(packed_bytes({"values": sent}))
        assert (parcel_size < 1_000) == sent.flags.c_contiguous
        assert np.array_equal(unpacked(packed_bytes({"values": sent}))["values"], sent)


def test_what_a_worker_changes_stays_with_it_and_is_what_it_sends(
    scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = scratch.kept(np.arange(1_000.0))
    received = unpacked(packed_bytes(values))
    received[0] = 7.0
    assert values[0] == 0.0
    monkeypatch.setattr(parcel, "is_worker", lambda: True)
    assert unpacked(packed_bytes(received))[0] == 7.0


def test_a_file_elsewhere_is_not_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret.array"
    secret.write_bytes(bytes(64))
    for place in (secret, tmp_path / "constraint-sdc-scratch-x" / "owner"):
        body = pickle.dumps(_Place(str(place)), protocol=5)
        with pytest.raises(ValueError, match="not a scratch file"):
            unpacked(parcel._COUNT.pack(1) + parcel._COUNT.pack(len(body)) + body)


class _Place:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return array_in_place, (self.path, "<f8", (8,), 0)


def test_disk_space_is_given_back_with_the_array(scratch: Scratch) -> None:
    values = scratch.kept(np.arange(1_000.0))
    handle = handle_of(values)
    assert handle is not None
    assert scratch.kept(values) is values
    part = values[10:]
    del values
    assert handle.path.exists()
    del part
    assert not handle.path.exists()


def test_a_worker_keeps_its_arrays_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from constraint_sdc.engines.engine import EngineSettings
    from constraint_sdc.engines.running import engine_of
    from constraint_sdc.engines.running import scratch as running_scratch

    monkeypatch.setenv(engine.WORKER_MARK, "1")
    with engine_of(EngineSettings("serial", scratch=tmp_path)):
        assert handle_of(running_scratch().kept(np.zeros(1 << 20))) is None
    assert list(tmp_path.iterdir()) == []
