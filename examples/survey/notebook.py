"""The cells of docs/how-to/notebooks.md, one after the other: python examples/survey/notebook.py."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import constraint_sdc as cs

data = Path("build/examples/survey/persons.csv")
rules = Path("examples/survey/persons.txt")
recipe = Path("examples/survey/recipe.yml")

options = cs.MaskOptions(recipe=cs.read_recipe(recipe), recipe_file=recipe)
plan = cs.plan_file(data, rules, options)
for rule in plan.all_rules():
    print(f"{rule.rule}: {rule.why.value}")

masked = Path("build/notebook.csv")
result = cs.mask_file(data, rules, masked, options, overwrite=True, expected=plan)
print(f"{result.output.name}: at least {min(result.smallest)} persons share the values of a block")

checked = cs.check_file(masked, rules, recipe=recipe)
print(f"exit code {checked.exit_code}, {checked.records} records")

assessed = cs.assess_files(data, masked, cs.AssessOptions(rules=rules, recipe=options.recipe))
figures = [(one.title, one.figures[0].value) for one in (*assessed.utility, *assessed.risk)]
print(pd.DataFrame(figures, columns=["measure", "value"]).round(2).to_string(index=False))

before, after = (pd.read_csv(path) for path in (data, masked))
print(pd.DataFrame({"before": before["Wage"].describe(), "after": after["Wage"].describe()}).round(1))

try:
    cs.plan_file(data, rules, cs.MaskOptions(k=1000, recipe=options.recipe))
except cs.ConstraintSdcError as refusal:
    print(f"exit code {refusal.exit_code}: {refusal}")
