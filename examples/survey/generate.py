"""Write persons.csv: 400 made-up persons of a sample survey, with weights, missing codes and empty cells.

python examples/survey/generate.py [FOLDER]          build/examples/survey if no folder is named
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

RECORDS = 400
REGIONS = {"North": 5, "East": 3, "South": 2}


def person(draw: random.Random) -> dict[str, str]:
    """Draw one person; a variable that does not apply is empty, a question that was not answered is -9."""
    age = draw.randint(16, 79)
    works = age < 66 and draw.random() < 0.8
    hours = draw.choice((20, 30, 36, 38, 40, 40, 40, 45)) if works else None
    wage = round(hours * draw.lognormvariate(6.5, 0.3)) if hours else 0
    other = round(draw.lognormvariate(6, 1.2)) + (0 if age < 66 else 12000)
    refused = draw.random() < 0.08
    return {
        "Region": draw.choices(tuple(REGIONS), tuple(REGIONS.values()))[0],
        "Age": str(age),
        "Hours": str(hours) if hours else "",
        "Wage": str(wage),
        "Other": "-9" if refused else str(other),
        "Income": "-9" if refused else str(wage + other),
        "Weight": f"{draw.uniform(1, 9):.2f}",
    }


def persons_csv() -> str:
    """Return the file; the same every time."""
    draw = random.Random(2016)
    rows = [{"Id": f"p{number}", **person(draw)} for number in range(1, RECORDS + 1)]
    return "".join(",".join(cells) + "\n" for cells in (rows[0], *(row.values() for row in rows)))


def main(folder: Path) -> None:
    """Write persons.csv into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "persons.csv").write_text(persons_csv(), encoding="utf-8", newline="")
    print(f"{folder.as_posix()}/persons.csv: {RECORDS} persons")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples/survey"))
