"""Masking as a library: plan, mask, and what was published, in a few lines.

python examples/quickstart.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import constraint_sdc as cs
from constraint_sdc.census.generate import generate_file
from constraint_sdc.files.json_file import shipped_file


def main(folder: Path) -> None:
    """Mask a generated extract by a recipe, under the shipped census rules."""
    data, masked = folder / "extract.xml", folder / "masked.xml"
    generate_file(data, 1000, seed=1)
    rules = shipped_file("rules", "census.sch")
    recipe = Path(__file__).with_name("recipe.yml")
    options = cs.MaskOptions(recipe=cs.read_recipe(recipe), recipe_file=recipe)

    plan = cs.plan_file(data, rules, options)
    for rule in plan.all_rules():
        print(f"{rule.rule}: {rule.why.value}, {cs.sentence(rule.because)}")

    result = cs.mask_file(data, rules, masked, options, overwrite=True, expected=plan)
    for outcome in result.outcomes:
        print(f"{outcome.rule}: {outcome.checked} checked, {outcome.newly_broken} newly broken")
    for block, smallest in zip(result.plan.blocks, result.smallest, strict=True):
        assert block.price is not None
        loss = f"loss {block.price.loss:.2f}, plain {block.price.plain_loss:.2f}"
        print(f"{', '.join(block.names)}: at least {smallest} records share values; {loss}")
    print(f"published: {result.output.name}, {result.certificate.name}")

    try:
        cs.plan_file(data, rules, cs.MaskOptions(k=2000))
    except cs.ConstraintSdcError as refusal:
        print(f"exit code {refusal.exit_code}: {refusal}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
