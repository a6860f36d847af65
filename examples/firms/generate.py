"""Write firms.csv: 60 made-up firms of a business survey, 8 of them large, 3 of them members of a group of firms.

python examples/firms/generate.py [FOLDER]          build/examples/firms if no folder is named
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

SIZES = {"L": 8, "M": 22, "S": 30}
EMPLOYED = {"L": (50, 400), "M": (10, 49), "S": (1, 9)}
MEMBERS = (1, 12, 40)


def firm(number: int, size: str, draw: random.Random) -> dict[str, str]:
    """Draw one firm; three of the large ones do research, and only members sell inside their group."""
    employed = draw.randint(*EMPLOYED[size])
    home, export = (employed * draw.randint(20, 90) for _ in range(2))
    researchers = draw.randint(1, 5) if number in (2, 4, 7) else 0
    cells = {
        "Size": size,
        "Group": "yes" if number in MEMBERS else "no",
        "Empl": employed,
        "Home": home,
        "Export": export,
        "Turnover": home + export,
        "Intra": draw.randint(5, 40) if number in MEMBERS else 0,
        "Research": 30 * researchers,
        "Researchers": researchers,
    }
    return {name: str(value) for name, value in cells.items()}


def firms_csv() -> str:
    """Return the file; the same every time."""
    draw = random.Random(2016)
    sizes = [size for size, count in SIZES.items() for _ in range(count)]
    rows = [firm(number, size, draw) for number, size in enumerate(sizes, start=1)]
    return "".join(",".join(cells) + "\n" for cells in (rows[0], *(row.values() for row in rows)))


def main(folder: Path) -> None:
    """Write firms.csv into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "firms.csv").write_text(firms_csv(), encoding="utf-8", newline="")
    print(f"{folder.as_posix()}/firms.csv: {sum(SIZES.values())} firms")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples/firms"))
