"""Write a household survey: python examples/fuzzy-c-means/generate.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np

RECORDS = 600


def households(seed: int = 2015) -> dict[str, list[int]]:
    """Draw households whose budgets satisfy every rule of households.txt, in whole units of money."""
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
    rows = [columns, *zip(*columns.values(), strict=True)]
    text = "".join(",".join(map(str, row)) + "\n" for row in rows)
    (folder / "households.csv").write_text(text, encoding="utf-8", newline="")
    print(f"{RECORDS} households in {folder / 'households.csv'}")


if __name__ == "__main__":
    main(Path("build/examples/fuzzy-c-means"))
