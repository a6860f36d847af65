"""Masking as a library: plan, mask, and what was published, in a few lines.

python examples/quickstart.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import constraint_sdc as cs

RULES = """
income:    V9 + V10 = V14
earnings:  V8 + V9 = V10
interest:  V3 in [0, 7500]
wages:     if V8 < 1115 then V13 <= V12
"""


def main(folder: Path) -> None:
    """Mask a generated CSV file by a recipe, under rules in plain text."""
    data, rules = folder / "extract.csv", folder / "rules.txt"
    cs.convert_file(cs.generate_census(folder / "extract.xml", 1000, seed=1), data, overwrite=True)
    rules.write_text(RULES, encoding="utf-8")
    recipe = Path(__file__).with_name("recipe.yml")

    plan = cs.plan_file(data, rules, recipe=recipe)
    print(plan)
    for _, rule in plan.to_frame("rules").iterrows():
        print(f"{rule['rule']}: {rule['why']}, {rule['because']}")

    result = cs.mask_file(data, rules, folder / "masked.csv", recipe=recipe, overwrite=True, expected=plan)
    for outcome in result.outcomes:
        print(f"{outcome.rule}: {outcome.checked} checked, {outcome.newly_broken} newly broken")
    for _, block in result.to_frame("blocks").iterrows():
        loss = f"loss {block['loss']:.2f}, plain {block['plain_loss']:.2f}"
        print(f"{block['variables']}: at least {block['smallest']} records share values; {loss}")
    print(f"published: {result.output.name}, {result.certificate.name}")

    try:
        cs.plan_file(data, rules, k=2000)
    except cs.ConstraintSdcError as refusal:
        print(f"exit code {refusal.exit_code}: {refusal}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
