"""Init: a draft of a recipe, made from what the variables of a file look like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from constraint_sdc.commands.masking.preparation import Original, Progress, open_original
from constraint_sdc.data.surroundings import WITHIN_RECORDS, DocumentSurroundings, SurroundingKind
from constraint_sdc.evidence.draft import DraftSurrounding, DraftVariable, RecipeDraft
from constraint_sdc.evidence.looks import look_at
from constraint_sdc.evidence.profile import profile_of
from constraint_sdc.evidence.structure import structural_columns, structure_looks
from constraint_sdc.evidence.values_seen import values_seen
from constraint_sdc.files.microdata.metadata import read_metadata
from constraint_sdc.files.tables.registry import current_reading, options_of, table_format
from constraint_sdc.files.tables.standard import demanded_parts, standard_of
from constraint_sdc.plan.rule_facts import computed_with, rule_facts
from constraint_sdc.reports.recipe_draft import recipe_draft_text
from constraint_sdc.settings.mask_settings import RulesSettings


def init_recipe(
    data: Path,
    rules: Path | None = None,
    *,
    record: str | None = None,
    allow: tuple[Path, ...] = (),
    show_values: bool = False,
    progress: Progress = lambda _: None,
) -> RecipeDraft:
    """Return the draft for a file. Its text has no value of a record, except possible missing codes and what is shown.

    Nothing is judged: the rules only tell which variables they compute with.
    """
    infos = {info.name: info for info in read_metadata(data)}
    with open_original(data, rules, record, RulesSettings(allow=allow), progress) as original:
        dataset, computed = original.dataset, _computed(original)
    variables, structural = [], structural_columns(dataset.table)
    for name, column in dataset.table.columns.items():
        info = infos.get(name)
        declared = () if info is None else info.missing
        profile = profile_of(column, declared)
        looks = look_at(profile, is_computed=name in computed)
        if name in structural:
            looks = structure_looks(structural[name])
        seen = values_seen(profile) if show_values else None
        variables.append(DraftVariable(name, looks, None if info is None else info.label, declared, seen))
    around = tuple(_surroundings(dataset.surroundings, demanded_parts(data)))
    draft = RecipeDraft(str(data), dataset.layout.record, dataset.table.records, tuple(variables), around)
    if table_format(data) is None:
        draft = replace(draft, is_elements="sdmx" in options_of(data))
    else:
        draft = replace(draft, table=current_reading(), standard=standard_of(data))
    return replace(draft, text=recipe_draft_text(draft))


def _surroundings(surroundings: DocumentSurroundings, demanded: frozenset[str]) -> Iterator[DraftSurrounding]:
    """Yield what a recipe can decide on; what stands within records is removed unless the recipe keeps it."""
    for one in surroundings.found:
        if one.kind not in (SurroundingKind.METADATA, SurroundingKind.STRUCTURE, SurroundingKind.OTHERS):
            is_removed = one.kind in WITHIN_RECORDS
            yield DraftSurrounding(one.path, one.kind.value, one.count, is_removed, one.path in demanded)


def _computed(original: Original) -> frozenset[str]:
    """Return the variables that rules compute with, as masking finds them."""
    understood, routes = original.understood, original.understood.routes
    says = {rule.id: "" for rule in understood.rules}
    names = original.dataset.table.columns.keys()
    return computed_with(rule_facts(understood.rules, says, names, routes.vectorised_ids(), routes.by_record))
