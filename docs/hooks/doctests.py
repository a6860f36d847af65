"""Show the doctests of docstrings as code: `>>>` lines and what they print become a fenced block."""

from __future__ import annotations

import re
from typing import Any

import griffe

_BLOCK = re.compile(r"(?:^>>> .*\n?(?:^(?!>>> |\s*$).*\n?)*)+", re.MULTILINE)


def fenced(text: str) -> str:
    """Return a docstring with every run of doctests in a fence.

    >>> print(fenced("Add.\\n\\n>>> 1 + 1\\n2"))
    Add.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    <BLANKLINE>
    """
    return _BLOCK.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


class FencedDoctests(griffe.Extension):
    """Rewrite every docstring of the API before it is rendered."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Fence the doctests of one object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
