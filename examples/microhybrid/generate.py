"""Write a survey of enterprises: python examples/microhybrid/generate.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

RECORDS = 900


def enterprises(seed: int = 2009) -> dict[str, list[int]]:
    """Draw enterprises whose accounts satisfy every rule of enterprises.R; all amounts are whole thousands."""
    rng = np.random.default_rng(seed)
    employees = np.maximum(1, np.exp(rng.normal(2.8, 1.0, RECORDS))).astype(int)
    wages = (employees * np.exp(rng.normal(3.6, 0.25, RECORDS))).astype(int) + 1
    materials = (wages * np.exp(rng.normal(0.2, 0.6, RECORDS))).astype(int)
    costs = wages + materials
    turnover = (costs * np.exp(rng.normal(0.12, 0.15, RECORDS))).astype(int) + 1
    columns = {
        "Employees": employees,
        "Wages": wages,
        "Materials": materials,
        "Costs": costs,
        "Turnover": turnover,
        "Profit": turnover - costs,
    }
    return {name: column.tolist() for name, column in columns.items()}


def main(folder: Path) -> None:
    """Write the file into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = enterprises()
    parquet.write_table(pa.table(columns), folder / "enterprises.parquet")
    print(f"{RECORDS} enterprises in {folder / 'enterprises.parquet'}")


if __name__ == "__main__":
    main(Path("build/examples/microhybrid"))
