"""Write a census-like file and a key that everybody knows, the same every time: the key is for this example only."""

from __future__ import annotations

from pathlib import Path

import constraint_sdc as cs

PRIVATE = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
"""
PUBLIC = """-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
"""


def main() -> None:
    """Write build/examples/verify/census.xml, a copy with one changed value, and the key."""
    folder = Path("build/examples/verify")
    folder.mkdir(parents=True, exist_ok=True)
    cs.generate_census(folder / "census.xml", 300, 1)
    (folder / "office.key").write_text(PRIVATE, encoding="utf-8")
    (folder / "office.key.pub").write_text(PUBLIC, encoding="utf-8")
    print(f"{folder / 'census.xml'}: 300 records")


if __name__ == "__main__":
    main()
