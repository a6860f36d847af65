"""What masking did, as JSON under schemas/mask.schema.json; the certificate holds the same rules and blocks."""

from __future__ import annotations

from constraint_sdc import __version__
from constraint_sdc.files.json_file import json_text
from constraint_sdc.maskers.masked import MaskedBlock, MaskResult
from constraint_sdc.plan.plan_json import price_to_json
from constraint_sdc.reports.masking.goal_text import treatment_word
from constraint_sdc.reports.sentences import sentences, with_sentences
from constraint_sdc.settings.masker import masker_to_json
from constraint_sdc.settings.reason import reasons_to_json

SCHEMA = "constraint-sdc/mask"
SCHEMA_VERSION = 1


def render_mask_json(result: MaskResult) -> str:
    """Return the result as JSON with a stable order of keys."""
    return json_text(
        {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "constraint-sdc", "version": __version__},
            "data": str(result.data),
            "rules_file": None if result.rules is None else str(result.rules),
            "output": str(result.output),
            "certificate": str(result.certificate),
            "records": result.plan.records,
            "k": result.plan.k,
            "masker": masker_to_json(result.plan.masker),
            "warnings": sentences(result.plan.warnings),
            "warning_reasons": reasons_to_json(result.plan.warnings),
            "rules": rules_to_json(result),
            "blocks": blocks_to_json(result),
        }
    )


def rules_to_json(result: MaskResult) -> list[dict[str, object]]:
    """Return each rule before and after masking; `failed` and `checked` are the judge's counts on the masked file."""
    after = {} if result.after is None else {rule.rule: rule for rule in result.after.results}
    return [
        {
            "rule": outcome.rule,
            "severity": outcome.severity,
            "checked": after[outcome.rule].fired,
            "failed": after[outcome.rule].failed,
            "broken_before": outcome.broken_before,
            "still_broken": outcome.still_broken,
            "repaired": outcome.repaired,
            "newly_broken": outcome.newly_broken,
        }
        for outcome in result.outcomes
    ]


def blocks_to_json(result: MaskResult) -> list[dict[str, object]]:
    """Return each block's groups and price; `smallest` is counted on the written file."""
    pairs = zip(result.masked.blocks, result.smallest, strict=True)
    return [_block(block, smallest) for block, smallest in pairs]


def _block(block: MaskedBlock, smallest: int) -> dict[str, object]:
    price = with_sentences(price_to_json(block.price))
    return {
        "number": block.plan.number,
        "variables": list(block.plan.names),
        "operators": {variable.name: treatment_word(variable) for variable in block.plan.variables},
        "strata": len(block.plan.strata),
        "groups": price["groups"],
        "smallest": smallest,
        "steps": price["steps"],
        "promises": price["promises"],
        "notes": price["notes"],
        "note_reasons": price["note_reasons"],
        "loss": price["loss"],
        "plain_loss": price["plain_loss"],
        **({"goals": price["goals"]} if block.price.goals else {}),
    }
