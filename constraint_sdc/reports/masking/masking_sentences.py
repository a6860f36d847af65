"""The sentences of reasons about masking: operators, blocks, rules, variables, warnings, prices and goals.

A sentence is a template whose fields are the code's parameters, or a function of them.
"""

from __future__ import annotations

from constraint_sdc.reports.note_sentences import Sentence, named

# Sentences for which a template is not enough.

_CHECKED = "every representative is evaluated; one that fails is nudged, repaired or put together from actual records"
_OWN_CHECKED = "every record is evaluated; one that fails is drawn again, repaired, or gets the values of its cluster"
_DRAWN_IN = "the wished signal needs counts below 0; its distances from the mean are reduced to {percent} %"


def _out_of_range(values: list[str], more: int) -> str:
    where = _values(values, more)
    return f"the wished signal needs counts below 0 or above the base at {where}; the nearest signal is taken"


def _strategy(parts: list[str], derived: list[str], has_rules: bool) -> str:
    computed = [f"then {', '.join(derived)} computed from the others"] if derived else []
    return "; ".join([*parts, *computed, *([] if has_rules else ["no rule reads them"])])


def _goals(goals: list[int]) -> str:
    return f"the parameter of goal{'' if len(goals) == 1 else 's'} {', '.join(map(str, goals))}"


def _choice(partition: str, why: str, is_largest: bool) -> str:
    return f"{partition} ({'up to ' if is_largest else ''}{why})"


def _computed(derived: list[str]) -> str:
    """Return which variables are computed; empty if none is."""
    return f"{' or '.join(derived)}, digit for digit" if derived else ""


def _checked(start: str, derived: list[str], end: str = _CHECKED) -> str:
    return "; ".join(part for part in (start, _computed(derived), end) if part)


def _copied(reads_any: bool) -> str:
    which = "all masked variables, since it may read any of them," if reads_any else "its variables"
    return f"{which} are copied together from one actual record"


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _may_read_any(reason: str, parts: list[str]) -> str:
    return f"{reason}; it may read any variable, because of {', '.join(parts)}"


def _not_evaluated(reason: str, account: str) -> str:
    return f"{reason} (not evaluated here: {account or 'its context is not understood'})"


def _made_exact(is_stratified: bool, operator: str, reason: str, derived: list[str], beside: list[str]) -> str:
    made = _computed(derived) or "made exact on the grid"
    return "; ".join([f"{_within(is_stratified)}{operator}: {reason}", made, *beside])


def _preserved(is_stratified: bool, kept: list[str]) -> str:
    return _within(is_stratified) + ("; ".join(kept) or "no condition on masked values remains")


def _within(is_stratified: bool) -> str:
    return "within each stratum, " if is_stratified else ""


def _linear_equality(derived: list[str]) -> str:
    algebra = "a linear equality that holds in a cluster holds for all values with the cluster's means and covariances"
    return f"{algebra}; {_computed(derived) or 'made exact on the grid'}"


def _pairs_agree(variables: list[str], reads_any: bool) -> str:
    alike = "all other variables" if reads_any else ", ".join(variables) or "its verdict"
    return f"only records that agree in {alike} are swapped, so its variables keep the values of one actual record"


def _nobody_decided(things: list[str]) -> str:
    return f"nobody decided on {named(things)}: they are guessed about, and nothing is promised for them"


def _recipe_role(role: str, is_removed: bool) -> str:
    return f"the recipe gives it the role {role}{' and removes it' if is_removed else ''}"


def _repeatable(seed: int, is_default: bool) -> str:
    guess = "; 0 is the default and easy to guess" if is_default else ""
    return (
        "masked values are drawn at random, and the original file with the seed reproduces the draw: keep the seed "
        f"secret, and the plan, certificate and report too (the seed is {seed}{guess})"
    )


def _in_clusters(what: str, in_clusters: bool) -> str:
    return f"{what} in every cluster" if in_clusters else what


def _covariances(variables: list[str], with_those: bool, given: list[str], in_clusters: bool) -> str:
    what = f"covariances of {', '.join(variables)}{' with those' if with_those else ''}"
    return _in_clusters(f"{what} and with {', '.join(given)}" if given else what, in_clusters)


def _changed(variables: list[str], shares: list[float]) -> str:
    said = (f"{name} {100.0 * share:.1f}%" for name, share in zip(variables, shares, strict=True))
    return f"share of records with a changed category: {', '.join(said)}"


def _shared(variables: list[str], records: list[int]) -> str:
    said = (f"{name} {count:,}" for name, count in zip(variables, records, strict=True))
    return f"smallest number of records that share a value, per variable: {', '.join(said)}"


def _values(values: list[str], more: int) -> str:
    return ", ".join(values) + (f" and {more} more" if more else "")


def _swaps_missing(missing: int, wanted: int, is_exhausted: bool, unevaluated: list[str]) -> str:
    why = "rules and other goals forbid so many pairs that the search found no more"
    if is_exhausted:
        why = "rules and other goals allow no more pairs"
    if unevaluated:
        why += f" (not evaluated here, so only records that agree in everything else swap: {', '.join(unevaluated)})"
    return f"{missing:,} of {wanted:,} swaps are missing: {why}"


def _moved(vital: int, shift: float, is_quantity: bool) -> str:
    unit = "vital records" if is_quantity else "in concentration"
    return f"swaps keep the number of vital records ({vital:,}), so the wished signal is shifted by {shift:+.4g} {unit}"


_OPERATORS: dict[str, Sentence] = {
    "linear-is-convex": "the solutions of a linear condition are convex, so they contain the mean of solutions",
    "member-value": "the value is that of a member, and the condition reads no other variable",
    "same-values-missing": "only records with the same values missing share a group",
    "nothing-demanded": "nothing is required",
    "rounds-to-grid": "the mean, rounded to that many decimals, is such a number",
    "mean-is-number": "a mean of numbers is a number, and is written as one",
    "true-of-positive": "true for all positive values",
    "linear-in-logarithms": "a product of powers is linear in the logarithms, so their mean satisfies it too",
    "convex-in-logarithms": "a sum of products bounded by one product is convex in the logarithms",
    "equal-members": "members with equal values have that value as their mean",
    "order-statistics": "order statistics of the same rank keep the order of the members' values",
    "actual-record": "the values are those of an actual record of the group, which satisfies the rule",
    "mean-hits-excluded": "a mean may equal the excluded value although no member does",
    "product-of-means": "a product of means is not the mean of the products",
    "mean-outside-domain": "a mean need not occur in the other document",
    "mean-not-listed": "a mean of listed values need not be listed",
    "mean-off-step": "a mean of such numbers need not be such a number",
    "condition-of-mean": "a mean need not satisfy a condition that every member satisfies",
    "text-of-mean": "the text of a mean need not be the text of any member",
    "part-not-understood": "a part of the rule is not understood",
    "never-true": "never true",
    "disjunction": "a disjunction: needs strata",
    "never-true-of-positive": "false for all positive values",
    "sum-in-logarithms": "a sum of products is not linear in the logarithms",
    "medians-of-several": "medians of several variables come from different members",
    "medians-of-sum": "medians keep an order between two variables, not a sum",
    "medians-may-agree": "medians of variables that always differ may be equal",
    "modes-of-several": "modes of several variables come from different members",
    "convex-medians-of-several": "convex medians of several variables come from different members",
    "ranks-of-several": "order statistics of several variables come from different members",
    "ranks-of-sum": "order statistics keep an order between two variables, not a sum",
    "ranks-may-agree": "order statistics of variables that always differ may be equal",
    "of-variables": "{variables}: {reason}",
}

_BLOCKS: dict[str, Sentence] = {
    "tied-by-rules": "rules tie them",
    "groups-share-value": "it belongs to the key: the records of a group share its value",
    "made-coarser": lambda level, levels, emptied: (
        f"it belongs to the key: published on level {level} of {levels}, {emptied:,} cells emptied"
    ),
    "shares-key": "an intruder may know them together: k records share the key",
    "tied-by-rules-and-recipe": "rules tie some of them, the recipe's groups the others",
    "grouped-by-recipe": "the recipe groups them",
    "groups-of-correlated": "no rule ties them; groups of {size}, most correlated together",
    "alone": "no rule ties it to another variable",
    "covariances-together": "microhybrid keeps the covariances of the variables of a block",
    "parameter-of-goals": _goals,
    "strategy": _strategy,
    "operator-of": "{operator} of {variables}",
    "one-record-per-cluster": "{variables} from one actual record for each cluster",
    "ipso-per-cluster": "IPSO in every cluster for {variables}",
    "shuffled-in-clusters": "{variables} shuffled within clusters",
    "means-of-neighbours": "means of neighbours in the order of each of {variables}",
    "values-exchanged": "values of {variable} are exchanged between pairs of records until the goals' signals are as "
    "wished",
    "partition-method": "{partition}",
    "auto-partition": lambda choices: f"auto: {', or '.join(choices)}",
    "auto-choice": _choice,
    "only-categories": "categories only",
    "one-variable-varies": "only one variable varies: the least loss can be computed",
    "mdav-is-quick": "{records:,} records: MDAV is a quick start",
    "lists-cost-more": "groups of {k:,}: lists of this many neighbours cost more than MDAV",
    "time-for-mdav": "{records:,} records: at {effort} effort there is time for MDAV",
    "search-needs-time": "{records:,} records: at {effort} effort the search needs the time",
    "fuzzy-centres": "fuzzy c-means: {centres:,} centres, one for {k} records, drawn by membership",
    "no-partition": "none: the swapped pairs are chosen for the least distortion",
    "missing": "{variable} missing",
    "same-value": "same {variable}",
    "broken-already": "breaks {rule} before masking",
    "sign": "{variable} {sign} 0",
    "satisfies": "{formula} ({rule})",
    "total-in-key": "it belongs to the key, which k records share",
    "total-wished": "the recipe groups it, or gives it an operator or a weight",
    "total-not-evaluated": "rule {rule} reads it, and cannot be evaluated record by record without Saxon",
    "total-in-cycle": "its parts are computed from it",
    "total-tied": "rule {rule} ties it to variables that are masked",
    "total-of-unmasked": "none of its parts is masked, so it would stay as it is",
    "total-missing-otherwise": "its values are missing in other records than those of its parts, or in several ways "
    "(records: {records:,})",
    "total-not-everywhere": "the equality does not hold in every record (records: {records:,})",
    "total-without-number": "its parts give no number in {records:,} records",
    "total-breaks": "computed for every record, it breaks {rule} in {records:,} records",
    "total-costs-more": "the file loses less if it is masked with its parts",
    "computed-by": lambda variable, rules: f"{variable} computed by {' and '.join(rules)}",
    "solved-from": lambda variable, rules: f"{variable} solved from {' and '.join(rules)}",
}

_RULES: dict[str, Sentence] = {
    "beyond-record": "it reads more than its own record, so no representative guarantees it; the judge decides after "
    "masking",
    "untouched": "masking changes none of its variables",
    "never-fires": "its context names an element that the file does not have, so it judges no record, before or after",
    "differing-unmasked": "it compares masked values with {variables}, which differ within groups; " + _CHECKED,
    "copied-together": _copied,
    "copied-per-cluster": lambda reads_any: f"{_copied(reads_any)}, the same for a whole cluster",
    "checked-by-saxon": _CHECKED.replace("evaluated", "checked by Saxon"),
    "record-checked-by-saxon": _OWN_CHECKED.replace("evaluated", "checked by Saxon"),
    "may-read-any": _may_read_any,
    "not-evaluated": _not_evaluated,
    "too-many-conditions": "it has too many conditions for strata; " + _CHECKED,
    "operators-meet": lambda operators, derived: _checked(f"it combines {' and '.join(operators)}", derived),
    "no-common-side": lambda derived: _checked("in some strata the records have no side of it in common", derived),
    "not-covered": lambda operator, reason, derived: _checked(f"{operator}: {reason}", derived),
    "made-exact": _made_exact,
    "preserved": _preserved,
    "kept-by": lambda operators, reason: f"{' and '.join(operators)}: {reason}",
    "linear-equality-in-clusters": _linear_equality,
    "values-of-cluster": "{variable} gets only values of its cluster; " + _OWN_CHECKED,
    "every-record-checked": lambda derived: _checked("", derived, _OWN_CHECKED),
    "total-by-rule": lambda variable, is_own: (
        f"{variable} is computed for every record by {'its own expression' if is_own else 'solving it'}, and the rule "
        "is evaluated on every record"
    ),
    "reads-totals": "it reads {variables}, computed for every record; it is evaluated on every record, and holds",
    "pairs-checked": "two records swap values only if it holds for both of them afterwards; it is evaluated for every "
    "pair",
    "pairs-agree": _pairs_agree,
    "beyond-pair": "it reads more than its own record, so no pair of records guarantees it; the judge decides after "
    "masking",
    "reads-no-swapped": "swaps change no value that it reads",
}

_VARIABLES: dict[str, Sentence] = {
    "recipe-role": _recipe_role,
    "decided-by-recipe": "the recipe says so",
    "decided-by-values": "its values leave no doubt: {kind}",
    "identifier-stays": "an identifier that stays in the file; give it `remove: true`, or `keep:` with the reason why "
    "it is harmless",
    "left-as-it-is": "this masking would leave it as it is, which only a recipe can decide",
    "looks-like": "looks like: {kind}",
    "harmless": "kept, because the recipe says: {why}",
    "guessed": "nobody decided; {fate} by guess, and nothing is promised for it",
    "nobody-decided": _nobody_decided,
    "goes-with-variable": "goes with its variable",
    "describes-variables": "describes variables of the masked file, and no others",
    "refers-to-structure": "references to the data structure are names and versions, and say nothing about anybody",
    "names-structure": "names the data structure (SDMX-CSV), the same in every record",
    "structure-varies": "names the data structure (SDMX-CSV), and is not the same in every record: write one file for "
    "each, or decide in the recipe",
    "structure-unknown": "in the place where SDMX-CSV names the data structure, and no {what} that brings observations",
    "remarks-are-removed": "comments and processing instructions inside records are removed unless the recipe "
    "keeps them",
    "markup-of-masked": "attributes of masked variables are removed unless the recipe keeps them",
    "names-are-structure": "names of elements and attributes are the structure of the file",
    "record-key": "it is the recipe's key of the records",
    "looks-like-identifier": "all its values differ, and its name or their sequence suggests an identifier",
    "not-numbers": "its values are not numbers, and no recipe selects it",
    "given": "it is given: the covariances with it are kept",
    "weighs-records": "it is the weight of the records",
    "only-swapped": "only values of {variables} are swapped",
    "assumed-dates": "{variables}: dates, masked as confidential by their number of days or months",
    "assumed-numbers": "{variables}: numbers, masked as confidential",
    "assumed-categories": "{variables}: categories by the recipe's type, masked as confidential",
    "assumed-texts": "{variables}: not numbers, left unchanged",
    "assumed-identifiers": "{variables}: identifiers, left unchanged",
    "joins-block": "{variable}: masked too, because a rule ties it to a masked variable",
}

_WARNINGS: dict[str, Sentence] = {
    "original-stays": "alpha leaves up to {alpha:g} of the original's distance from the fit in the values: the "
    "larger it is, the nearer they are to the original",
    "masks-nothing": "k = 1 masks nothing: the masked file is the original",
    "k-not-ensured": "fuzzy-c-means does not guarantee that {k} records share their values. A record that is alone at "
    "its centre is published almost unchanged, especially an outlier; `ensure_k: true` prevents both",
    "draw-repeatable": _repeatable,
    "goals-tell": "plan, certificate and recipe reveal the original distribution of the group without any attack: "
    "keep all three secret (docs/maskers/group-anonymity.md)",
    "nothing-influential": "no variable is influential, so any two records may be swapped; name some under "
    "`influential`",
    "variables-ranked-alone": "{partition} masks each variable separately: {k} records share a mean of one variable, "
    "but hardly any two share all values. An intruder with the original values of several variables identifies nearly "
    "every record with certainty (`attack transparency`, docs/maskers/individual-ranking.md). Use it only for "
    "variables that no intruder can know",
    "records-projected": "{partition} sorts records by one number: records with close numbers may be far apart in "
    "every variable, so groups are wide, and the partition reveals the order of the groups "
    "(docs/maskers/projection.md). The default partition loses less information at the same k",
    "no-key": "nothing is promised about linkage: no quasi-identifier is declared",
    "key-not-shared": "nothing is promised about linkage: k records need not share the key with this masker "
    "({variables})",
    "verbatim-not-promised": "that no record has the values of an actual record is not promised by this masker; "
    "how many have is counted",
    "goal-missed": lambda goal, parameter, missed: f"goal {goal} ({parameter}) is MISSED: {'; '.join(missed)}",
}

_PRICES: dict[str, Sentence] = {
    "means-kept": lambda variables, in_clusters: _in_clusters(f"means of {', '.join(variables)}", in_clusters),
    "covariances-kept": _covariances,
    "among-records": "{what}, among the {records:,} records with a value",
    "categories-changed": _changed,
    "values-shared": _shared,
    "dominated": "in {dominated:,} of {groups:,} groups one member can be estimated within {p:g}% from the mean; "
    "`dominance` in `protect` of a recipe prevents it",
    "regrouped": lambda promises, failing, groups, groups_after, loss, loss_after: (
        f"{failing:,} of {groups:,} groups broke {' or '.join(promises)}: {groups_after:,} groups keep "
        f"{'it' if len(promises) == 1 else 'them'}, and the loss of means rises from {loss:.2f} to {loss_after:.2f}"
    ),
    "clusters-drawn": lambda clusters, parts: f"of {clusters:,} clusters {'; '.join(parts)}",
    "drawn-freely": "{clusters:,} drawn freely",
    "drawn-close": "{clusters:,} drawn with closeness {closeness:g} to the original",
    "records-repaired": "{clusters:,} with repaired records, their moments: {moments}",
    "moments-restored": "{clusters:,} restored",
    "means-restored": "{clusters:,} with only their means restored",
    "moments-not-restored": "{clusters:,} not restored",
    "blanks-differ": "{clusters:,} with differing blanks, which share a representative",
    "records-unchanged": "unchanged records, from clusters with little freedom for a draw: {records:,}",
    "drawn-in-logarithms": lambda variables: (
        f"products: {', '.join(variables)} drawn in logarithms, then calibrated to their means and variances"
    ),
    "alone-at-centre": "{records:,} records are unchanged: each is alone at a centre that has its values",
    "centres-drawn": "{centres:,} centres, {used:,} of them with records; the smallest group has {smallest:,}",
    "groups-below-k": "{below:,} of {records:,} records are in groups of fewer than k = {k:,}",
    "k-ensured": "to ensure k, {dissolved:,} centres were dissolved and {moved:,} records drew again",
    "not-converged": "in {strata:,} of {of:,} strata the centres did not converge",
    "rule-repaired": "{records:,} records that break rule {rule} get centres that satisfy it",
    "outside-range": "values outside the range of the file, because all inside that the rules allow are records' own: "
    "{groups:,} groups",
    "saxon-asked": lambda records, calls: f"Saxon checked {records:,} candidate records in {calls:,} call{_s(calls)}",
    "drawn-in-regions": "large file: centres were computed and drawn in {regions:,} regions",
}

_GOALS: dict[str, Sentence] = {
    "unreachable-values": lambda values, more: (
        f"no record of the base has {_values(values, more)}, so no record can be swapped there"
    ),
    "counts-below-zero": _DRAWN_IN,
    "wish-out-of-range": _out_of_range,
    "base-too-small": lambda values, more: (
        f"the wished signal needs more vital records than the base has at {_values(values, more)}"
    ),
    "whole-counts-off": lambda values, more: (
        f"whole counts differ from the wished counts by one or more at {_values(values, more)}"
    ),
    "swaps-missing": _swaps_missing,
    "threshold-reached": "the threshold of distortion leaves out {left_out:,} of {wanted:,} swaps",
    "threshold-reached-slightly": "the threshold of distortion leaves out {left_out:,} swaps; every count is less than "
    "one record from the wished one",
    "swaps-not-allowed": "{missing:,} swaps are not allowed; every count is less than one record from the wished one",
    "signal-moved": _moved,
    "counts-below-zero-slightly": _DRAWN_IN + "; every count changes by less than one record",
    "wish-out-of-range-slightly": lambda values, more: (
        f"{_out_of_range(values, more)}; every count changes by less than one record"
    ),
    "records-without-value": "{records:,} records have no value of {parameter} and are left out",
    "nothing-to-swap": "the wished counts equal the present ones: nothing is swapped",
}

MASKING_SENTENCES: dict[str, Sentence] = {
    **_OPERATORS,
    **_BLOCKS,
    **_RULES,
    **_VARIABLES,
    **_WARNINGS,
    **_PRICES,
    **_GOALS,
}
"""The sentence of every code in `settings/masking_codes.py`."""
