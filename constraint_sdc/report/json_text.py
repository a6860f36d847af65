"""JSON that is readable and safe to print: ordered as given, letters as themselves, hidden characters escaped."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

# Legal in JSON, yet a terminal obeys some of them and a reader is misled by others. They occur inside strings only.
_TO_ESCAPE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]")


def json_text(value: Mapping[str, object]) -> str:
    r"""Return the value as indented JSON with a final line feed.

    >>> json_text({"a": "é\x9b"})
    '{\n  "a": "é\\u009b"\n}\n'
    """
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    return _TO_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"
