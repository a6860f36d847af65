"""Settle how a file is masked: what the options say, else the recipe, else the default; checked here only."""

from __future__ import annotations

from constraint_sdc.commands.masking.division import wished_division, wished_masker
from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe import load_recipe
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.maskers.masker import Masker
from constraint_sdc.settings.mask_settings import MaskSettings, RulesSettings

LEAST_K = 2
"""Groups of fewer records hide nothing."""


def settle(options: MaskOptions | MaskSettings[Masker]) -> MaskSettings[Masker]:
    """Return the settings; UsageError for what is missing, out of range or does not fit together."""
    if isinstance(options, MaskSettings):
        return options
    recipe = options.recipe
    masker = wished_masker(options)
    k = _settled_k(options.k if options.k is not None else recipe.k, masker)
    seed = options.seed if options.seed is not None else recipe.seed
    return MaskSettings(
        k=k,
        masker=masker,
        division=wished_division(options, masker),
        seed=0 if seed is None else seed,
        on_broken=options.on_broken or recipe.on_broken or "refuse",
        record=options.record or recipe.record,
        rules=rules_settings(options),
        recipe=recipe,
        recipe_file=options.recipe_file,
        recipe_sha256=_recipe_digest(options),
    )


def rules_settings(options: MaskOptions) -> RulesSettings:
    """Return how the rules are judged; rules that the recipe allows to be idle are allowed too."""
    idle = tuple(dict.fromkeys((*options.allow_idle, *options.recipe.allow_idle)))
    codes = options.recipe.missing
    return RulesSettings(options.phase, options.original, options.allow, options.time_limit, idle, codes)


def _settled_k(k: int | None, masker: Masker) -> int:
    """Return k; 1 for a masker that forms no groups, and on demand for one that then gives the original back."""
    if not masker.takes_k:
        if k not in (None, 1):
            raise UsageError(f"k has no meaning with {masker.name}", hint="it forms no groups; leave k out")
        return 1
    if k is None:
        raise UsageError("k is not given", hint="how many records must share values? -k K, or `k: K` in the recipe")
    if k < masker.least_k:
        why = "1 is the original" if masker.least_k == 1 else "a group of one record hides nothing"
        raise UsageError(f"k must be at least {masker.least_k}, not {k}", hint=why)
    return k


def _recipe_digest(options: MaskOptions) -> str | None:
    """Return the digest of the recipe's file: of the bytes that were read, if it was read through the door."""
    if options.recipe_sha256 is not None or options.recipe_file is None:
        return options.recipe_sha256
    recipe, digest = load_recipe(options.recipe_file)
    if recipe != options.recipe:
        raise UsageError("the recipe is not the one in this file", file=str(options.recipe_file), hint="read it again")
    return digest
