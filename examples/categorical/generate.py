"""Write people.csv: 600 made-up people, mostly categories, that satisfy every rule of people.yml.

python examples/categorical/generate.py [FOLDER]          build/examples/categorical if no folder is named
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

RECORDS = 600
AGE_GROUPS = ("child", "young", "middle", "senior")
MARITAL = {"young": (6, 3, 1, 0), "middle": (3, 6, 2, 1), "senior": (1, 5, 2, 4)}
SECTORS = ("public", "private", "self-employed", "none")
GRADES = {"public": ("A1", "A2", "C1"), "private": ("M1", "S1", "S2", "W1"), "self-employed": ("S1", "W1")}
REGIONS = {"Kraków": 9, "Łódź": 7, "Gdańsk": 6, "Poznań": 5, "Suwałki": 1}
PAY = {"A1": 5200, "A2": 4100, "C1": 3300, "M1": 7400, "S1": 4800, "S2": 3900, "W1": 2900}


def person(draw: random.Random) -> dict[str, str]:
    """Draw one person."""
    age = draw.choices(AGE_GROUPS, (3, 4, 6, 3))[0]
    marital = "single"
    if age != "child":
        marital = draw.choices(("single", "married", "divorced", "widowed"), MARITAL[age])[0]
    sector = "none" if age == "child" else draw.choices(SECTORS, (3, 6, 2, 4 if age == "senior" else 1))[0]
    grade = draw.choice(GRADES[sector]) if sector in GRADES else "-"
    income = 0 if age == "child" else 900 + round(draw.uniform(0, 600))
    if grade in PAY:
        income = round(PAY[grade] * draw.uniform(0.8, 1.4))
    return {
        "Sex": draw.choice("FM"),
        "AgeGroup": age,
        "MaritalStatus": marital,
        "Sector": sector,
        "Grade": grade,
        "Region": draw.choices(tuple(REGIONS), tuple(REGIONS.values()))[0],
        "Income": str(income),
    }


def people_csv() -> str:
    """Return the file; the same every time."""
    draw = random.Random(2004)
    rows = [{"Id": f"p{number}", **person(draw)} for number in range(1, RECORDS + 1)]
    return "".join(",".join(cells) + "\n" for cells in (rows[0], *(row.values() for row in rows)))


def main(folder: Path) -> None:
    """Write people.csv into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "people.csv").write_text(people_csv(), encoding="utf-8", newline="")
    print(f"{folder.as_posix()}/people.csv: {RECORDS} people")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples/categorical"))
