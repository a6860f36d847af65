"""Of a large file promises are counted while Saxon judges: the same answer, and the same error first."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import constraint_sdc as cs
from constraint_sdc.commands.masking import judging
from constraint_sdc.errors import JudgeError, NotPublishedError
from tests.engines.test_same_bytes import RULES


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = random.Random(5)
    rows = ((rng.randint(0, 9_999), rng.randint(0, 9_999)) for _ in range(200))
    text = "".join(f"<R><A>{a}</A><B>{b}</B><C>{a + b}</C></R>\n" for a, b in rows)
    (tmp_path / "data.xml").write_text(f"<D>\n{text}</D>\n")
    (tmp_path / "rules.sch").write_text(RULES)
    return tmp_path


def published(folder: Path, name: str, **options: Any) -> tuple[bytes, bytes]:
    """Return the masked file and its certificate."""
    output = folder / name / "masked.xml"
    output.parent.mkdir()
    cs.mask_file(folder / "data.xml", folder / "rules.sch", output, k=5, effort="fast", **options)
    return output.read_bytes(), output.with_name("masked.xml.certificate.json").read_bytes()


def noting(function: Callable[..., Any], threads: list[str]) -> Callable[..., Any]:
    def noted(*args: Any, **kwargs: Any) -> Any:
        threads.append(threading.current_thread().name)
        return function(*args, **kwargs)

    return noted


def test_it_is_counted_in_a_thread_of_its_own_only_if_there_is_enough(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []
    monkeypatch.setattr(judging, "count_promises", noting(judging.count_promises, threads))
    one_after_the_other = published(folder, "one")
    monkeypatch.setattr(judging, "is_divided", lambda work: work > 0)
    assert published(folder, "two") == one_after_the_other
    assert threads[0] == threading.main_thread().name
    assert threads[1].startswith("counting")


@pytest.mark.parametrize(
    ("count_fails", "judge_fails", "expected"),
    [(True, True, "promise"), (True, False, "promise"), (False, True, "judge")],
)
def test_a_promise_that_is_not_kept_is_told_first(
    folder: Path, count_fails: bool, judge_fails: bool, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(error: Exception) -> Callable[..., Any]:
        def fail(*_: Any, **__: Any) -> Any:
            raise error

        return fail

    if count_fails:
        monkeypatch.setattr(judging, "count_promises", failing(NotPublishedError("promise")))
    if judge_fails:
        monkeypatch.setattr(judging, "check_written", failing(JudgeError("judge", hint="none")))
    for is_divided in (False, True):
        monkeypatch.setattr(judging, "is_divided", lambda _, answer=is_divided: answer)
        with pytest.raises((NotPublishedError, JudgeError), match=expected):
            published(folder, f"out{is_divided}")
        assert not list((folder / f"out{is_divided}").glob("masked*"))
