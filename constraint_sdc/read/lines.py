"""Lines of record start tags, exact at any file size (libxml2's own are not past line 65,535)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator


def start_tag_pattern(local: str) -> re.Pattern[bytes]:
    """Match a start tag of this local name, or a construct in which `<` is no markup (an unfinished one too).

    In well-formed XML a `<` outside comment, CDATA section and processing instruction always opens a tag.
    """
    name = re.escape(local.encode("utf-8"))
    return re.compile(
        rb"<!--(?P<comment>.*?-->)?|<!\[CDATA\[(?P<cdata>.*?\]\]>)?|<\?(?P<pi>.*?\?>)?"
        rb"|(?P<tag><(?:[^\s<>/!?:]+:)?" + name + rb"(?=[\s/>]))",
        re.DOTALL,
    )


def start_tags(pattern: re.Pattern[bytes], data: bytes) -> Iterator[int]:
    """Yield where the start tags begin, up to a construct that the data does not finish."""
    for found in pattern.finditer(data):
        if found["tag"] is not None:
            yield found.start()
        elif found.lastgroup is None:
            return


class RecordLines:
    """Feed it the bytes that the parser gets; it hands out the lines of the start tags in document order."""

    def __init__(self, local: str, line: int) -> None:
        self._pattern = start_tag_pattern(local)
        self._line = line
        self._rest = b""
        self._found: deque[int] = deque()

    def feed(self, block: bytes) -> None:
        """Take the next bytes."""
        data = self._rest + block
        counted = 0
        searched = 0
        for found in self._pattern.finditer(data):
            if found["tag"] is not None:
                self._line += data.count(b"\n", counted, found.start())
                counted = found.start()
                self._found.append(self._line)
            elif found.lastgroup is None:
                searched = found.start()
                break
            searched = found.end()
        keep = self._unfinished(data, searched)
        self._line += data.count(b"\n", counted, keep)
        self._rest = data[keep:]

    def next_line(self) -> int:
        """Return the line of the next start tag, which the parser has just reported."""
        return self._found.popleft() if self._found else self._line

    @staticmethod
    def _unfinished(data: bytes, searched: int) -> int:
        last = data.rfind(b"<", searched)
        if data.startswith((b"<!--", b"<![CDATA[", b"<?"), searched):
            return searched
        return last if last >= 0 and b">" not in data[last:] else len(data)
