"""Risks of a masker that whoever chooses it must see."""

from __future__ import annotations

from constraint_sdc.model.method import FuzzyCMeans, GroupAnonymity, Method, Microaggregation, Microhybrid, draws

_RANKED = ("individual-ranking", "optimal-univariate")
_PROJECTED = ("pc1-projection", "z-sum-projection")
_DEFAULT_SEED = 0


def plan_warnings(masker: Method, partition: str, k: int, seed: int) -> tuple[str, ...]:
    """Return what is to be said before anybody masks in this way, gravest first."""
    found: list[str] = []
    if isinstance(masker, Microhybrid) and k == 1:
        found.append("k = 1 masks nothing: the masked file is the original")
    if isinstance(masker, FuzzyCMeans) and not masker.ensure_k:
        found.append(
            f"fuzzy-c-means does not promise that {k} records share their values, and who alone draws a centre near "
            "himself is published nearly as he is, outliers above all; `ensure_k: true` prevents both"
        )
    if draws(masker) and k > 1:
        guess = "; 0 is the default, and the first that anybody tries" if seed == _DEFAULT_SEED else ""
        found.append(
            f"what a record gets is drawn, and whoever has the original and the seed can repeat the draw: keep the "
            f"seed secret, and with it plan, certificate and report (it is {seed}{guess})"
        )
    if isinstance(masker, GroupAnonymity):
        found.append(
            "plan, certificate and recipe tell how the group was spread before: whoever reads them needs no attack, so "
            "keep all three secret (docs/maskers/group-anonymity.md)"
        )
        if not masker.influential:
            found.append(
                "no variable is influential, so that swaps pair any two records; name some under `influential`"
            )
    if isinstance(masker, Microaggregation):
        found += _of_partition(partition.removesuffix("+refine"), k)
    return tuple(found)


def _of_partition(partition: str, k: int) -> list[str]:
    if partition in _RANKED:
        return [
            f"{partition} masks each variable by itself, so that {k} records share a mean of one variable but hardly "
            "any two share all values: whoever knows the original values of several variables finds nearly every "
            "record, with certainty (`attack transparency`, docs/maskers/individual-ranking.md). Choose it only for "
            "variables that no intruder can know"
        ]
    if partition in _PROJECTED:
        return [
            f"{partition} sorts records by one number: records that are near in it may be far apart in every variable, "
            "so that groups are wide, and whoever knows the method knows the order of the groups "
            "(docs/maskers/projection.md). The default method loses less at the same k"
        ]
    return []
