"""Write firms.csv: 300 made-up firms, semicolons between cells, that satisfy every rule of rules.txt.

python examples/first-result/generate.py [FOLDER]          build/examples/first-result if no folder is named
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

FIRMS = 300
SECTORS = {"trade": 5, "transport": 2, "industry": 3, "services": 4}
HEADERS = (
    *("Firm", "Sector", "Employees", "Turnover", "Other income", "Income"),
    *("Wages", "Materials", "Costs", "Profit", "Exports"),
)


def firm(number: int, draw: random.Random) -> tuple[object, ...]:
    """Draw one firm."""
    sector = draw.choices(tuple(SECTORS), tuple(SECTORS.values()))[0]
    employees = 1 + int(draw.lognormvariate(1.8, 1.1))
    turnover = round(employees * draw.lognormvariate(4.4, 0.5))
    other = round(turnover * draw.uniform(0, 0.08)) if draw.random() < 0.6 else 0
    wages = round(employees * draw.uniform(18, 42))
    materials = round(turnover * draw.uniform(0.2, 0.7))
    exports = round(turnover * draw.uniform(0.05, 0.9)) if draw.random() < 0.4 else 0
    income, costs = turnover + other, wages + materials
    return f"F{number:04}", sector, employees, turnover, other, income, wages, materials, costs, income - costs, exports


def firms_csv() -> str:
    """Return the file; the same every time."""
    draw = random.Random(2024)
    rows = (firm(number, draw) for number in range(1, FIRMS + 1))
    return "".join(";".join(map(str, row)) + "\n" for row in (HEADERS, *rows))


def main(folder: Path) -> None:
    """Write firms.csv into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "firms.csv").write_text(firms_csv(), encoding="utf-8", newline="")
    print(f"{folder.as_posix()}/firms.csv: {FIRMS} firms")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/examples/first-result"))
