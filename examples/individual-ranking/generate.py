"""Write a file of employees: python examples/individual-ranking/generate.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np

RECORDS = 500


def employees(seed: int = 1993) -> dict[str, list[int]]:
    """Draw employees whose pay satisfies every rule of employees.sql."""
    rng = np.random.default_rng(seed)
    hours = rng.integers(40, 190, RECORDS)
    wage = (hours * np.exp(rng.normal(3.1, 0.3, RECORDS))).astype(int)
    bonus = (wage * rng.uniform(0, 0.2, RECORDS)).astype(int)
    columns = {"Age": rng.integers(16, 68, RECORDS), "Hours": hours, "Wage": wage, "Bonus": bonus, "Pay": wage + bonus}
    return {name: column.tolist() for name, column in columns.items()}


def main(folder: Path) -> None:
    """Write the file into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = employees()
    rows = [columns, *zip(*columns.values(), strict=True)]
    text = "".join(",".join(map(str, row)) + "\n" for row in rows)
    (folder / "employees.csv").write_text(text, encoding="utf-8", newline="")
    print(f"{RECORDS} employees in {folder / 'employees.csv'}")


if __name__ == "__main__":
    main(Path("build/examples/individual-ranking"))
