"""Settle how a file is masked or divided: what the options, else the recipe, else defaults say; checked here only."""

from __future__ import annotations

from constraint_sdc.commands.masking.division import wished_division, wished_masker
from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe import load_recipe
from constraint_sdc.maskers.masked import MaskOptions, PartitionOptions
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.settings.mask_settings import MaskSettings, RulesSettings
from constraint_sdc.settings.partition_settings import PartitionSettings
from constraint_sdc.settings.words import Totals, Undecided, judging_by, totals_by, undecided_by

LEAST_K = 2
"""Groups of fewer records hide nothing."""
DEFAULT_UNDECIDED: Undecided = "refuse"
"""A variable on which nobody decided is not published."""


def settle(options: MaskOptions | MaskSettings[Masker]) -> MaskSettings[Masker]:
    """Return the settings; UsageError for what is missing, out of range or does not fit together."""
    if isinstance(options, MaskSettings):
        return options
    recipe = options.recipe
    masker = wished_masker(options)
    return MaskSettings(
        k=_masking_k(_wished_k(options), masker),
        masker=masker,
        division=wished_division(options, masker),
        seed=settled_seed(options),
        on_broken=options.on_broken or recipe.on_broken or "refuse",
        totals=_settled_totals(options, masker),
        record=options.record or recipe.record,
        rules=rules_settings(options),
        recipe=recipe,
        recipe_file=options.recipe_file,
        recipe_sha256=_recipe_digest(options),
        undecided=undecided_by(options.undecided or recipe.undecided or DEFAULT_UNDECIDED),
        table=options.table.over(recipe.table),
    )


def rules_settings(options: MaskOptions) -> RulesSettings:
    """Return how the rules are judged; rules that the recipe allows to be idle are allowed too."""
    idle = tuple(dict.fromkeys((*options.allow_idle, *options.recipe.allow_idle)))
    codes = options.recipe.missing
    judge = None if options.judge is None else judging_by(options.judge)
    return RulesSettings(options.phase, options.original, options.allow, options.time_limit, idle, codes, judge)


def settle_partition(options: PartitionOptions | PartitionSettings) -> PartitionSettings:
    """Return how records are divided; UsageError for what is missing, out of range or does not fit together."""
    if isinstance(options, PartitionSettings):
        return options
    return PartitionSettings(
        k=_required_k(_wished_k(options), LEAST_K),
        division=wished_division(options),
        seed=settled_seed(options),
        variables=options.variables,
        record=options.record or options.recipe.record,
        recipe=options.recipe,
    )


def _wished_k(options: MaskOptions | PartitionOptions) -> int | None:
    k = options.k if options.k is not None else options.recipe.k
    if k is not None and not _is_whole(k):
        raise UsageError(f"k must be a whole number, not {k!r}", hint="-k K, or `k: K` in the recipe")
    return k


def _masking_k(k: int | None, masker: Masker) -> int:
    """Return k; 1 for a masker that forms no groups, and on demand for one that then gives the original back."""
    if masker.takes_k:
        return _required_k(k, masker.least_k)
    if k not in (None, 1):
        raise UsageError(f"k has no meaning with {masker.name}", hint="it forms no groups; leave k out")
    return 1


def _required_k(k: int | None, least: int) -> int:
    if k is None:
        raise UsageError("k is not given", hint="the least number of records in a group: -k K, or `k: K` in the recipe")
    if k < least:
        why = "1 is the original" if least == 1 else "a group of one record hides nothing"
        raise UsageError(f"k must be at least {least}, not {k}", hint=why)
    return k


def settled_seed(options: MaskOptions | PartitionOptions) -> int:
    """Return the seed of the options, else of the recipe, else the default."""
    seed = options.seed if options.seed is not None else options.recipe.seed
    if seed is None:
        return 0
    if not _is_whole(seed) or seed < 0:
        raise UsageError(f"the seed must be a whole number from 0, not {seed!r}", hint="such as seed 1")
    return seed


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _settled_totals(options: MaskOptions, masker: Masker) -> Totals:
    totals = totals_by(options.totals or options.recipe.totals or "together")
    if totals != "together" and not masker.computes_totals:
        hint = "leave the totals out, or use another masker"
        raise UsageError(f"{masker.name} computes no totals, so totals {totals} has no meaning", hint=hint)
    return totals


def _recipe_digest(options: MaskOptions) -> str | None:
    """Return the digest of the recipe's file: of the bytes that were read, if it was read through the door."""
    if options.recipe_sha256 is not None or options.recipe_file is None:
        return options.recipe_sha256
    recipe, digest = load_recipe(options.recipe_file)
    if recipe != options.recipe:
        raise UsageError("the recipe is not the one in this file", file=str(options.recipe_file), hint="read it again")
    return digest
