"""DuckDB's verdicts on SQL conditions, as a program of its own: `import duckdb` writes to the terminal when tests end.

Reads JSON with `records` and `rules` from standard input; writes, for each rule, one [id, truth] per record.
"""

from __future__ import annotations

import json
import sys

import duckdb

if __name__ == "__main__":
    given = json.load(sys.stdin)
    with duckdb.connect() as base:
        # Databases differ in what they make of a division by zero; for us it has no value.
        base.execute("SET error_on_division_by_zero = false")
        base.execute("SET ieee_floating_point_ops = false")
        base.execute("CREATE TABLE r (id INT, a INT, b INT, x DECIMAL(9, 2), y DECIMAL(9, 2), t TEXT, u TEXT)")
        base.executemany("INSERT INTO r VALUES (?, ?, ?, ?, ?, ?, ?)", given["records"])
        json.dump([base.execute(f"SELECT id, ({rule}) FROM r").fetchall() for rule in given["rules"]], sys.stdout)
