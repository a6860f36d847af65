"""Small row files for tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a document and return its path."""

    def write_file(content: str | bytes) -> Path:
        path = tmp_path / "data.xml"
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    return write_file
