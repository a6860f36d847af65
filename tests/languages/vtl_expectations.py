"""Draw rules and data, and record what vtlengine makes of them: `python -m tests.languages.vtl_expectations PYTHON`.

PYTHON is the interpreter of an environment of its own with vtlengine, whose requirements exclude ours. The record is
`fixtures/vtl.json`; the tests need no vtlengine.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
FIXTURE = HERE / "fixtures" / "vtl.json"
RECORDS, RULES, CHOICES = 60, 300, 20

_ENGINE = """
import json, sys
import pandas as pd
from importlib.metadata import version
from vtlengine import run
asked = json.load(sys.stdin)
kinds = {"id": "Integer", "a": "Integer", "b": "Integer", "x": "Number", "y": "Number", "t": "String", "u": "String"}
structure = [
    {"name": name, "type": kind, "role": "Identifier" if name == "id" else "Measure", "nullable": name != "id"}
    for name, kind in kinds.items()
]
frame = pd.DataFrame(asked["records"])
data = {"data_structures": {"datasets": [{"name": "DS_1", "DataStructure": structure}]}, "datapoints": {"DS_1": frame}}
names = ", ".join([*(name for name in kinds if name != "id"), *asked["chosen"]])
numbered = dict(enumerate(asked["rules"]))
# In vtlengine 1.9.6, what `if` chooses gets to other records, unless it is a measure of its own first.
first = ", ".join(f"{name} := {one}" for name, one in asked["chosen"].items())
guarded = {at: rule for at, rule in numbered.items() if rule.startswith("when")}
rules = ";\\n".join(f"r{at}: {rule}" for at, rule in guarded.items())
script = f"define datapoint ruleset R (variable {names}) is\\n{rules}\\nend datapoint ruleset;\\n"
script += f"DS_q := DS_1 [calc {first}];\\nDS_r <- check_datapoint(DS_q, R all);\\nDS_s <- DS_q [calc "
script += ",\\n".join(f"r{at} := {rule}" for at, rule in numbered.items() if at not in guarded) + "];"
found = run(script=script, **data)
verdicts = [[None] * len(frame) for _ in numbered]
def word(truth):
    return "?" if pd.isna(truth) else "T" if truth else "F"
for row in found["DS_r"].data.itertuples():
    verdicts[int(row.ruleid[1:])][int(row.id) - 1] = word(row.bool_var)
for at in numbered:
    if at not in guarded:
        for number, truth in zip(found["DS_s"].data["id"], found["DS_s"].data[f"r{at}"]):
            verdicts[at][int(number) - 1] = word(truth)
print(json.dumps({"version": version("vtlengine"), "verdicts": ["".join(one) for one in verdicts]}))
"""


class VtlDraw:
    """Draws VTL conditions over whole numbers a, b, quarters x, y and texts t, u."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.chosen: dict[str, str] = {}

    def asked(self) -> dict[str, object]:
        """Return records, rules, and the choices between numbers that rules name q0, q1, ..."""
        records = self.records()
        choices = [self.choice() for _ in range(CHOICES)]
        self.chosen = {f"q{at}": choice for at, choice in enumerate(choices)}
        return {"records": records, "chosen": self.chosen, "rules": [self.rule() for _ in range(RULES)]}

    def choice(self) -> str:
        left, right = self.number(1), self.number(1)
        return self.pick(
            f"if {self.condition(1)} then {left} else {right}",
            f"case when {self.condition(0)} then {left} when a > 2 then {right} else {self.number(0)}",
        )

    def records(self) -> list[dict[str, object]]:
        """Return records in which one value in seven is missing."""

        def some(value: object) -> object:
            return None if self.random.random() < 1 / 7 else value

        return [
            {
                "id": number,
                "a": some(self.random.randint(-4, 12)),
                "b": some(self.random.randint(-4, 12)),
                "x": some(self.random.randint(-12, 36) / 4),
                "y": some(self.random.randint(-12, 36) / 4),
                "t": some(self.pick("A", "B", "AB", "b1", "x.y", "Zz 9")),
                "u": some(self.pick("A", "B", "AB", "b1", "x.y", "Zz 9")),
            }
            for number in range(1, RECORDS + 1)
        ]

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def number(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.pick("a", "b", "x", "y", str(self.random.randint(0, 9)), "2.5", "length(t)")
        left, right = self.number(depth - 1), self.number(depth - 1)
        return self.pick(
            f"({left} + {right})",
            f"({left} - {right})",
            f"({self.random.randint(2, 5)} * {left})",
            f"abs({left})",
            f"(- {left})",
            "(a * b)",
            "power(a, 2)",
            f"mod(a, {self.random.randint(2, 5)})",
            "(x / 4)",
            f"floor({self.pick('x', 'y')})",
            f"ceil({self.pick('x', 'y')})",
            f"round({self.pick('x', 'y')}, {self.pick('0', '1')})",
            f"trunc({self.pick('x', 'y')}, 0)",
            "sqrt(abs(a))",
            f"nvl({self.pick('a', 'b', 'x')}, {self.random.randint(0, 3)})",
            self.pick(*(self.chosen or ["a"])),
            self.pick(*(self.chosen or ["b"])),
        )

    def text_condition(self) -> str:
        text = self.pick("t", "u")
        return self.pick(
            f'{text} = "{self.pick("A", "B", "AB")}"',
            f'{text} <> "{self.pick("A", "x.y")}"',
            "t = u",
            "t <> u",
            f'{text} in {{"A", "b1", "Zz 9"}}',
            f'{text} not_in {{"B", "AB"}}',
            f'match_characters({text}, "{self.pick("A.*", "[A-B]+", ".*[0-9]", "B")}")',
            f"length({text}) {self.pick('=', '<=', '<>')} 2",
            f'upper({text}) = "AB"',
            f'lower({text}) = "ab"',
            f'substr({text}, 1, 1) = "A"',
            f'trim({text}) = "A"',
            f"isnull({text})",
        )

    def condition(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.35:
            sign = self.pick("=", "<>", "<", "<=", ">", ">=")
            return self.pick(
                f"{self.pick('a', 'b', 'x', 'y')} {sign} {self.number(depth and 1)}",
                f"{self.pick('a', 'b')} + {self.number(depth and 1)} {sign} {self.number(depth and 1)}",
                f"{self.pick('a', 'b', 'x', 'y')} {sign} {self.random.randint(-2, 9)}",
                f"{self.pick('a', 'b')} in {{0, 1, 2, 5, -3}}",
                f"between({self.pick('a', 'x')}, 0, {self.pick('6', 'y', 'b')})",
                f"isnull({self.pick('a', 'b', 'x')})",
                self.text_condition(),
                self.text_condition(),
            )
        left, right = self.condition(depth - 1), self.condition(depth - 1)
        return self.pick(
            f"({left}) and ({right})",
            f"({left}) or ({right})",
            f"({left}) xor ({right})",
            f"not ({left})",
            f"nvl({left}, {self.pick('true', 'false')})",
            f"if {left} then {right} else {self.condition(depth - 1)}",
        )

    def rule(self) -> str:
        if self.random.random() < 0.75:
            return self.condition()
        return f"when {self.condition(1)} then {self.condition(1)}"


def written_out(rule: str, chosen: dict[str, str]) -> str:
    """Return a rule with its choices in place."""
    return re.sub(r"\bq\d+\b", lambda found: f"({chosen[found.group()]})", rule)


def record(python: str) -> None:
    """Write the record."""
    asked = VtlDraw(5).asked()
    run = [python, "-W", "ignore", "-c", _ENGINE]
    found = json.loads(subprocess.run(run, input=json.dumps(asked), capture_output=True, text=True, check=True).stdout)
    FIXTURE.write_text(json.dumps({**asked, **found}, indent=0) + "\n", encoding="utf-8")
    print(f"{FIXTURE}: {RULES} rules, {RECORDS} records, vtlengine {found['version']}")


if __name__ == "__main__":
    record(sys.argv[1])
