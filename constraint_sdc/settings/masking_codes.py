"""The codes of reasons about masking: operators, blocks, rules, variables, warnings, prices and goals."""

from __future__ import annotations

from constraint_sdc.settings.code_parameters import takes

_OPERATORS = {
    # what an operator keeps, on its own or in real arithmetic
    "linear-is-convex": takes(),
    "member-value": takes(),
    "same-values-missing": takes(),
    "nothing-demanded": takes(),
    "rounds-to-grid": takes(),
    "mean-is-number": takes(),
    "true-of-positive": takes(),
    "linear-in-logarithms": takes(),
    "convex-in-logarithms": takes(),
    "equal-members": takes(),
    "order-statistics": takes(),
    "actual-record": takes(),
    # what it does not cover
    "mean-hits-excluded": takes(),
    "product-of-means": takes(),
    "mean-outside-domain": takes(),
    "mean-not-listed": takes(),
    "mean-off-step": takes(),
    "text-of-mean": takes(),
    "condition-of-mean": takes(),
    "part-not-understood": takes(),
    "never-true": takes(),
    "disjunction": takes(),
    "never-true-of-positive": takes(),
    "sum-in-logarithms": takes(),
    "medians-of-several": takes(),
    "medians-of-sum": takes(),
    "medians-may-agree": takes(),
    "modes-of-several": takes(),
    "convex-medians-of-several": takes(),
    "ranks-of-several": takes(),
    "ranks-of-sum": takes(),
    "ranks-may-agree": takes(),
    "of-variables": takes("variables", "reason"),
}

_BLOCKS = {
    # why variables are masked together
    "tied-by-rules": takes(),
    "tied-by-rules-and-recipe": takes(),
    "shares-key": takes(),
    "groups-share-value": takes(),
    "made-coarser": takes("level", "levels", "emptied"),
    "grouped-by-recipe": takes(),
    "groups-of-correlated": takes("size"),
    "alone": takes(),
    "covariances-together": takes(),
    "parameter-of-goals": takes("goals"),
    # how their values come about
    "strategy": takes("parts", "derived", "has_rules"),
    "operator-of": takes("operator", "variables"),
    "one-record-per-cluster": takes("variables"),
    "ipso-per-cluster": takes("variables"),
    "shuffled-in-clusters": takes("variables"),
    "means-of-neighbours": takes("variables"),
    "values-exchanged": takes("variable"),
    # how their records are divided
    "partition-method": takes("partition"),
    "auto-partition": takes("choices"),
    "auto-choice": takes("partition", "why", "is_largest"),
    "only-categories": takes(),
    "one-variable-varies": takes(),
    "mdav-is-quick": takes("records"),
    "lists-cost-more": takes("k"),
    "time-for-mdav": takes("records", "effort"),
    "search-needs-time": takes("records", "effort"),
    "fuzzy-centres": takes("centres", "k"),
    "no-partition": takes(),
    # what the records of a stratum have in common
    "missing": takes("variable"),
    "same-value": takes("variable"),
    "broken-already": takes("rule"),
    "sign": takes("variable", "sign"),
    "satisfies": takes("formula", "rule"),
    # which variables are computed for every record, and why others that an equality determines are not
    "total-in-key": takes(),
    "total-wished": takes(),
    "total-not-evaluated": takes("rule"),
    "total-in-cycle": takes(),
    "total-tied": takes("rule"),
    "total-of-unmasked": takes(),
    "total-missing-otherwise": takes("records"),
    "total-not-everywhere": takes("records"),
    "total-without-number": takes("records"),
    "total-breaks": takes("rule", "records"),
    "total-costs-more": takes(),
    # which variables are computed for a group
    "computed-by": takes("variable", "rules"),
    "solved-from": takes("variable", "rules"),
}

_RULES = {
    # why a rule survives masking
    "beyond-record": takes(),
    "untouched": takes(),
    "never-fires": takes(),
    "differing-unmasked": takes("variables"),
    "copied-together": takes("reads_any"),
    "copied-per-cluster": takes("reads_any"),
    "checked-by-saxon": takes(),
    "record-checked-by-saxon": takes(),
    "may-read-any": takes("reason", "parts"),
    "not-evaluated": takes("reason", quotes=("account",)),
    "too-many-conditions": takes(),
    "operators-meet": takes("operators", "derived"),
    "no-common-side": takes("derived"),
    "not-covered": takes("operator", "reason", "derived"),
    "made-exact": takes("is_stratified", "operator", "reason", "derived", "beside"),
    "preserved": takes("is_stratified", "kept"),
    "kept-by": takes("operators", "reason"),
    "linear-equality-in-clusters": takes("derived"),
    "values-of-cluster": takes("variable"),
    "every-record-checked": takes("derived"),
    "total-by-rule": takes("variable", "is_own"),
    "reads-totals": takes("variables"),
    # where values are swapped
    "pairs-checked": takes(),
    "pairs-agree": takes("variables", "reads_any"),
    "beyond-pair": takes(),
    "reads-no-swapped": takes(),
}

_VARIABLES = {
    # why a variable stays as it is
    "recipe-role": takes("role", "is_removed"),
    # what becomes of everything in the file
    "decided-by-recipe": takes(),
    "decided-by-values": takes("kind"),
    "identifier-stays": takes(),
    "left-as-it-is": takes(),
    "looks-like": takes("kind"),
    "harmless": takes("why"),
    "guessed": takes("fate"),
    "nobody-decided": takes("things"),
    "goes-with-variable": takes(),
    "describes-variables": takes(),
    "refers-to-structure": takes(),
    "names-structure": takes(),
    "structure-varies": takes(),
    "structure-unknown": takes("what"),
    "remarks-are-removed": takes(),
    "markup-of-masked": takes(),
    "names-are-structure": takes(),
    "record-key": takes(),
    "looks-like-identifier": takes(),
    "not-numbers": takes(),
    "given": takes(),
    "weighs-records": takes(),
    "only-swapped": takes("variables"),
    # what is assumed
    "assumed-numbers": takes("variables"),
    "assumed-dates": takes("variables"),
    "assumed-categories": takes("variables"),
    "assumed-texts": takes("variables"),
    "assumed-identifiers": takes("variables"),
    "joins-block": takes("variable"),
}

_WARNINGS = {
    "masks-nothing": takes(),
    "original-stays": takes("alpha"),
    "k-not-ensured": takes("k"),
    "draw-repeatable": takes("seed", "is_default"),
    "goals-tell": takes(),
    "nothing-influential": takes(),
    "variables-ranked-alone": takes("partition", "k"),
    "records-projected": takes("partition"),
    "goal-missed": takes("goal", "parameter", "missed"),
    # what is not promised about people
    "no-key": takes(),
    "key-not-shared": takes("variables"),
    "verbatim-not-promised": takes(),
}

_PRICES = {
    # what is kept besides the rules
    "means-kept": takes("variables", "in_clusters"),
    "covariances-kept": takes("variables", "with_those", "given", "in_clusters"),
    "among-records": takes("what", "records"),
    # what else came about
    "categories-changed": takes("variables", "shares"),
    "values-shared": takes("variables", "records"),
    "dominated": takes("dominated", "groups", "p"),
    "regrouped": takes("promises", "failing", "groups", "groups_after", "loss", "loss_after"),
    "clusters-drawn": takes("clusters", "parts"),
    "drawn-freely": takes("clusters"),
    "drawn-close": takes("clusters", "closeness"),
    "records-repaired": takes("clusters", "moments"),
    "moments-restored": takes("clusters"),
    "means-restored": takes("clusters"),
    "moments-not-restored": takes("clusters"),
    "blanks-differ": takes("clusters"),
    "records-unchanged": takes("records"),
    "drawn-in-logarithms": takes("variables"),
    "alone-at-centre": takes("records"),
    "centres-drawn": takes("centres", "used", "smallest"),
    "groups-below-k": takes("below", "records", "k"),
    "k-ensured": takes("dissolved", "moved"),
    "not-converged": takes("strata", "of"),
    "drawn-in-regions": takes("regions"),
    "rule-repaired": takes("rule", "records"),
    "saxon-asked": takes("records", "calls"),
    "outside-range": takes("groups"),
}

_GOALS = {
    # why a goal is missed
    "unreachable-values": takes("values", "more"),
    "counts-below-zero": takes("percent"),
    "wish-out-of-range": takes("values", "more"),
    "base-too-small": takes("values", "more"),
    "whole-counts-off": takes("values", "more"),
    "swaps-missing": takes("missing", "wanted", "is_exhausted", "unevaluated"),
    "threshold-reached": takes("left_out", "wanted"),
    # what else came about
    "swaps-not-allowed": takes("missing"),
    "threshold-reached-slightly": takes("left_out"),
    "signal-moved": takes("vital", "shift", "is_quantity"),
    "counts-below-zero-slightly": takes("percent"),
    "wish-out-of-range-slightly": takes("values", "more"),
    "records-without-value": takes("records", "parameter"),
    "nothing-to-swap": takes(),
}

MASKING_CODES = {**_OPERATORS, **_BLOCKS, **_RULES, **_VARIABLES, **_WARNINGS, **_PRICES, **_GOALS}
"""Their sentences are in `reports/masking/masking_sentences.py`."""
