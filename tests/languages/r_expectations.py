"""Draw rules and data, and record what R makes of them: `python -m tests.languages.r_expectations` (needs Rscript).

The record is `fixtures/r_validate.json`; the tests need no R.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
FIXTURE = HERE / "fixtures" / "r_validate.json"
RECORDS, RULES = 60, 300
WHOLE, DECIMALS, TEXTS = ("a", "b", "total.rev"), ("x", "y"), ("t", "u")


class Draw:
    """Draws rules of validate over three whole numbers, two decimals and two texts."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def data(self) -> list[dict[str, object]]:
        """Return records in which one value in seven is missing."""
        return [{"id": n, **self._record()} for n in range(1, RECORDS + 1)]

    def _record(self) -> dict[str, object]:
        whole = {name: self._or_none(self.random.randint(-4, 12)) for name in WHOLE}
        decimals = {name: self._or_none(self.random.randint(-300, 900) / 100) for name in DECIMALS}
        texts = {name: self._or_none(self.random.choice(["A", "B", "AB", "b1", "x.y", "Zz 9"])) for name in TEXTS}
        return {**whole, **decimals, **texts}

    def _or_none(self, value: object) -> object:
        return None if self.random.random() < 1 / 7 else value

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def number(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.pick(*WHOLE, *DECIMALS, str(self.random.randint(0, 9)), "2.5", "nchar(t)")
        left, right = self.number(depth - 1), self.number(depth - 1)
        whole, other = self.pick(*WHOLE), self.pick(*WHOLE)
        return self.pick(
            f"{left} + {right}",
            f"{left} - ({right})",
            f"{self.random.randint(2, 5)} * ({left})",
            f"abs({left})",
            f"-({left})",
            f"pmax({left}, {right})",
            f"pmin({left}, {right})",
            f"{whole} * {other}",
            f"{whole}^2",
            f"{whole} %% {self.random.randint(2, 5)}",
            f"{whole} / {other}",
            f"{whole} / 4",
            f"{whole} %/% 3",
            f"floor({left})",
            f"ceiling({left})",
            f"round({self.pick(*DECIMALS)})",
            f"sqrt(abs({whole}))",
            f"ifelse({other} > 3, {left}, {right})",
        )

    def text_condition(self) -> str:
        text = self.pick(*TEXTS)
        return self.pick(
            f'{text} == "{self.pick("A", "B", "AB")}"',
            f'{text} != "{self.pick("A", "x.y")}"',
            "t == u",
            "t != u",
            f'{text} %in% c("A", "b1", "Zz 9")',
            f'{text} %vin% c("B", "AB")',
            f'grepl("^[A-B]+$", {text})',
            f'grepl("[[:digit:]]", {text})',
            f'grepl(".", {text}, fixed = TRUE)',
            f'grepl("^a", {text}, ignore.case = TRUE)',
            f'startsWith({text}, "A")',
            f'endsWith({text}, "1")',
            f'field_format({text}, "?B")',
            f'field_format({text}, "^[A-Z]", type = "regex")',
            f"field_length({text}, 2)",
            f"field_length({text}, min = 1, max = 3)",
            f"nchar({text}) {self.pick('==', '<=', '!=')} 2",
            f'toupper({text}) == "AB"',
            f'substr({text}, 1, 1) == "A"',
        )

    def condition(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.35:
            operator = self.pick("==", "!=", "<", "<=", ">", ">=")
            return self.pick(
                f"{self.number(1)} {operator} {self.number(1)}",
                f"{self.pick(*WHOLE, *DECIMALS)} {operator} {self.random.randint(-2, 9)}",
                f"{self.pick(*WHOLE)} %in% c(0, 1, 2, 5, 8)",
                f"{self.pick(*WHOLE)} %in% 0:7",
                f"in_range({self.pick(*WHOLE, *DECIMALS)}, 0, 6)",
                f"in_range({self.pick(*WHOLE)}, min = 0, max = 6, strict = TRUE)",
                f"is.na({self.pick(*WHOLE, *TEXTS)})",
                f"is.na({self.pick(*WHOLE)} + {self.pick(*DECIMALS)})",
                f"is_complete({self.pick(*WHOLE)}, {self.pick(*TEXTS)})",
                self.text_condition(),
                self.text_condition(),
            )
        left, right = self.condition(depth - 1), self.condition(depth - 1)
        return self.pick(
            f"({left}) & ({right})",
            f"({left}) | ({right})",
            f"!({left})",
            f"xor({left}, {right})",
            f"if ({left}) {right}",
            f"if ({left}) {right} else {self.condition(0)}",
        )

    def over_records(self) -> str:
        column = self.pick(*WHOLE, *DECIMALS)
        return self.pick(
            f"sum({column}, na.rm = TRUE) > {self.random.randint(50, 400)}",
            f"sum({column}) > 0",
            f"mean({column}, na.rm = TRUE) < {self.pick(*DECIMALS)}",
            f"max({column}, na.rm = TRUE) >= {column}",
            f"min(a, b, na.rm = TRUE) == {self.random.randint(-4, -3)}",
            f"sum(is.na({column})) <= {self.random.randint(5, 12)}",
            f"all({column} > -5)",
            f"any({column} > {self.random.randint(8, 13)})",
            f"all_complete({column})",
            "all_complete(id)",
            "all_unique(id)",
            "is_unique(a, t)",
            "is_unique(id)",
            f"is_unique({self.pick(*WHOLE)}, {self.pick(*TEXTS)})",
            f"nrow(.) == {self.random.randint(59, 61)}",
            f"length({column}) >= 60",
        )

    def rules(self) -> list[str]:
        """Return rules, one in ten of them about all records together."""
        return [self.over_records() if n % 10 == 9 else self.condition() for n in range(RULES)]


def main() -> None:
    """Write the record."""
    draw = Draw(2026)
    data, rules = draw.data(), draw.rules()
    with tempfile.TemporaryDirectory() as folder:
        given, answer = Path(folder, "given.json"), Path(folder, "answer.json")
        given.write_text(json.dumps({"data": data, "rules": rules}))
        subprocess.run(["Rscript", str(HERE / "verdicts.R"), str(given), str(answer)], check=True)
        found = json.loads(answer.read_text())
    record = {"made_by": found["made_by"], "data": data, "rules": list(zip(rules, found["verdicts"], strict=True))}
    FIXTURE.write_text(json.dumps(record, indent=0, ensure_ascii=False) + "\n")
    print(FIXTURE.name, found["made_by"], len(rules))


if __name__ == "__main__":
    main()
