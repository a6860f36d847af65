"""Write 4,000 people of sixteen regions, whose scientists live around two research sites: data for this example.

    python examples/group-anonymity/generate.py [FOLDER]

The same people every time; none of them exists. FOLDER is build/examples/group-anonymity if not given.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

RECORDS = 4000
REGIONS = [f"R{number:02d}" for number in range(1, 17)]
SITES = ("R04", "R12")
COAST = ("R01", "R02", "R03", "R16")
MINES = ("R07", "R08")
SECTORS = ("farming", "industry", "trade", "public")


def person(number: int, draw: random.Random) -> dict[str, str]:
    """Return one person; fishing is for the coast, mining for two regions, and nobody there is below 21."""
    region = draw.choice(REGIONS)
    is_scientist = draw.random() < (0.28 if region in SITES else 0.03)
    education = draw.choice((5, 6, 7)) if is_scientist else draw.choice((1, 2, 2, 3, 3, 3, 4, 4, 5, 6))
    sector = draw.choice(("public", "industry")) if is_scientist else draw.choice(SECTORS)
    if not is_scientist and region in COAST and draw.random() < 0.2:
        sector = "fishing"
    if not is_scientist and region in MINES and draw.random() < 0.3:
        sector = "mining"
    age = draw.randint(24 if is_scientist else 18, 74)
    return {
        "Id": str(number),
        "Region": region,
        "Occupation": "scientist" if is_scientist else draw.choice(("clerk", "craft", "service", "manager")),
        "Sex": draw.choice("FM"),
        "Age": str(max(age, 21) if sector == "mining" else age),
        "Education": str(education),
        "Sector": sector,
        "Commute": str(draw.randint(0, 45 if region in SITES else 120)),
    }


def main(folder: Path) -> None:
    """Write people.csv into the folder."""
    draw = random.Random(2026)
    rows = [person(number, draw) for number in range(1, RECORDS + 1)]
    text = "".join(",".join(cells) + "\n" for cells in (rows[0], *(row.values() for row in rows)))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "people.csv").write_text(text, encoding="utf-8", newline="")
    print(f"{RECORDS:,} people in {(folder / 'people.csv').as_posix()}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples/group-anonymity"))
