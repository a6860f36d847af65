from __future__ import annotations

import io

import pytest

from constraint_sdc.reports.terminal import clean, wants_colour


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain é 統計", "plain é 統計"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;new title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\sixel", "sixel"),
        ("\x1bcreset", "reset"),
        ("a\r\nb\tc\u2028d", "a b c d"),
        ("bell\x07", "bell\ufffd"),
        ("\x1b\x1b[31m[31m", "\ufffd[31m"),
        ("\x1b]0;never closed", "0;never closed"),
        ("\u202egnp.exe", "\ufffdgnp.exe"),
    ],
)
def test_a_terminal_cannot_be_steered_by_text(given: str, shown: str) -> None:
    assert clean(given) == shown


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_needs_a_terminal_that_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour(Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())
