"""Write a household survey: python examples/fuzzy-c-means/generate.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np

RECORDS = 600


def households(seed: int = 2015) -> dict[str, list[int]]:
    """Draw households whose budgets satisfy every rule of households.sch, in whole units of money."""
    rng = np.random.default_rng(seed)
    income = np.exp(rng.normal(10.3, 0.5, RECORDS)).astype(int)
    tax = (income * rng.uniform(0.05, 0.4, RECORDS)).astype(int)
    net = income - tax
    rent = (net * rng.uniform(0.1, 0.6, RECORDS)).astype(int)
    heating = (rent * rng.uniform(0.02, 0.3, RECORDS)).astype(int)
    food = np.exp(rng.normal(8.4, 0.4, RECORDS)).astype(int)
    columns = {"Income": income, "Tax": tax, "Net": net, "Rent": rent, "Heating": heating, "Food": food}
    columns["Living"] = rent + heating + food
    return {name: column.tolist() for name, column in columns.items()}


def main(folder: Path) -> None:
    """Write the file into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = households()
    lines = ["<Survey>"]
    for row in zip(*columns.values(), strict=True):
        cells = "".join(f"<{name}>{value}</{name}>" for name, value in zip(columns, row, strict=True))
        lines.append(f"  <Household>{cells}</Household>")
    (folder / "households.xml").write_text("\n".join([*lines, "</Survey>", ""]), encoding="utf-8")
    print(f"{RECORDS} households in {folder / 'households.xml'}")


if __name__ == "__main__":
    main(Path("build/examples/fuzzy-c-means"))
