"""Every code of a reason with the parameters that it takes; its sentence is in `reports/sentences.py`.

A test compares this list with the sentences and with every place that gives a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class CodeParameters:
    """The names of a code's parameters, and of the texts that it quotes from another room."""

    params: tuple[str, ...]
    quotes: tuple[str, ...]


def takes(*params: str, quotes: tuple[str, ...] = ()) -> CodeParameters:
    """Return the parameters of a code."""
    return CodeParameters(params, quotes)


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

_FILES = {
    # how a check went
    "judged-as-document": takes("line", quotes=("why",)),
    "parameter-unused": takes("parameter", quotes=("file",)),
    "data-for-original": takes("file"),
    "param-again": takes("parameter", "file", "line"),
    # how two files were compared
    "key-not-masked": takes("key"),
    "other-order": takes("variable"),
    "no-longer-numbers": takes("variable"),
    "categories-unseen": takes("variables"),
    "values-blanked": takes("variable", "blank", "of"),
    "taken-out": takes("variables"),
    "only-in-masked": takes("variables"),
    "of-other-release": takes("why"),
    "original-breaks": takes("rules"),
    "measured-with": takes(quotes=("parameters",)),
    "certificate-differs": takes(quotes=("how",)),
    # how a sweep went
    "only-saxon-counts": takes("rules"),
    "refused-at": takes("ks", "why"),
    "plan-refused": takes(quotes=("what",)),
    "options-refused": takes(quotes=("what",)),
}

_UTILITY = {
    # why there is no figure
    "not-defined": takes("why"),
    "no-masked-numeric": takes(),
    "no-numbers-in-both": takes(),
    "none-varies-in-both": takes(),
    "none-varies-or-too-large": takes(),
    "no-two-vary": takes(),
    "masked-without-values": takes(),
    "nothing-masked": takes(),
    "no-masked-category": takes(),
    "categories-constant": takes(),
    "first-pairs-only": takes("pairs", "most"),
    "no-regression-named": takes(),
    "no-regression-fits": takes(),
    # what was left out
    "left-out-of-total": takes("parts"),
    "no-loss-of-own": takes("variables"),
    "no-error-of-own": takes("variables"),
    "moments-undefined": takes("variables"),
    "moments-hidden": takes("variables"),
    "without-value": takes("variables"),
    "pairs-left-out": takes("pairs"),
    "predictor-left-out": takes("regression", "predictor", "file"),
    "no-predictor-left": takes("regression"),
    "too-few-complete": takes("regression", "records", "coefficients"),
    "response-constant": takes("regression", "response", "file"),
    "score-parts-missing": takes("parts"),
    "score-of-unmasked": takes("score"),
}

_RISK = {
    # why there is no figure
    "not-measured": takes("why"),
    "nothing-known": takes(),
    "no-record-to-link": takes(),
    "nothing-known-varies": takes(),
    "nothing-to-count": takes(),
    "no-class-defined": takes(),
    "share-not-defined": takes(),
    "no-single-nearest": takes(),
    "no-single-heaviest": takes(),
    # what was assumed, left out or drawn
    "unique-in-file": takes(),
    "single-variables-only": takes("known"),
    "no-k-promised": takes(),
    "blocks-unknown": takes(),
    "blocks-group-apart": takes(),
    "totals-computed": takes("variables"),
    "directions-left-out": takes("dropped", "of"),
    "subsets-drawn": takes("most", "seed"),
    "linkage-averaged": takes("most", "per_size", "records", "seed"),
    "linked-records-drawn": takes("linked", "records", "seed"),
    "cells-blank": takes("cells"),
    "no-value-in-both": takes("variables"),
    "ranks-agree": takes("percent"),
    "first-variables-used": takes("known", "variables"),
    "chances-estimated": takes("records", "seed"),
    "estimation-not-converged": takes("steps"),
    "categories-joined": takes("variable", "categories", "joined"),
    # sampling weights and small sets of variables
    "no-sampling-weights": takes(),
    "weights-not-positive": takes(),
    "weights-below-one": takes("records"),
    "population-estimated": takes("people"),
    "sets-bounded": takes("wished", "most", "known"),
}

_ATTACKS = {
    # transparency
    "sets-hold-truth": takes(),
    "slack-known": takes(),
    "nothing-follows": takes("variables"),
    "rerun-needs-order": takes(),
    "linked-originals-drawn": takes("linked", "records", "seed"),
    "no-single-possible": takes(),
    "drawn-while-secret": takes("variables"),
    # the intruder's file
    "no-intruder-file": takes(),
    "intruder-knows-nothing-of": takes("records"),
    "intruder-has-strangers-only": takes(),
    "intruder-unused": takes("variables"),
    "intruder-lacks": takes("variables"),
    "key-in-release": takes("key"),
    # single ranking
    "nobody-re-identified": takes("why"),
    "no-number-known": takes(),
    "no-records": takes(),
    "ties-shared": takes(),
    "sample-drawn": takes("records", "seed"),
    "corresponding-given": takes(),
    "corresponding-made": takes("seed", "off", "deviation"),
    "candidates-taken": takes("near", "within"),
    "not-compared": takes("variables"),
    # rule inference
    "changed-unmasked": takes("variables"),
    "only-numbers": takes("variables"),
    "not-group-means": takes("variables"),
    "assumed-group-means": takes("variables"),
    "no-masked-numbers": takes(),
    "no-rules": takes(),
    "rules-silent": takes("rules", "of"),
    "rules-broken-before": takes("rules"),
    "narrowing-stopped": takes(),
    # why an attack was not run
    "not-run": takes("why"),
    "rules-read-no-masked": takes(),
    "every-cell-changed": takes("broken"),
    "no-cell-changed": takes(),
    "no-groups-of-numbers": takes(),
    "no-other-release": takes(),
    "releases-share-nothing": takes(),
    "no-rules-given": takes(),
    "no-method-to-use": takes(),
    "attack-needs-rules": takes(),
    "attack-not-named": takes("attack"),
    "attack-left-out": takes(),
    # what a headline does not cover
    "misses-near-values": takes(),
    "misses-other-knowledge": takes(),
    "misses-known-sample": takes(),
    "misses-likely-links": takes(),
    "misses-coalitions": takes(),
    # inconsistency, dominance and differencing
    "rules-public": takes(),
    "groups-by-values": takes(),
    "releases-aligned": takes(),
    "narrowed-below": takes("k"),
}

_IDLE = {
    # why a rule checks nothing, or looks for what is not there
    "idle-name": takes("name", "where", "nearest", "elsewhere", "known"),
    "idle-shadowed": takes("line", "context"),
    "idle-taken": takes(),
    "idle-condition": takes("may_be_taken"),
    "idle-path": takes("may_be_taken"),
    "idle-documents": takes(),
    # said of a plan
    "idle-allowed": takes("rule", "reasons"),
}

_EVIDENCE = {
    # what a column looks like
    "looks-measured": takes("distinct", "values"),
    "looks-computed": takes(),
    "looks-too-few": takes("distinct"),
    "looks-few": takes("distinct", "values"),
    "looks-ordinal-or-count": takes(),
    "looks-unique": takes("alone", "values"),
    "looks-consecutive": takes(),
    "looks-equally-long": takes("digits"),
    "looks-rising": takes(),
    "looks-gaps": takes(),
    "looks-even": takes("distinct"),
    "looks-runs": takes("runs", "distinct"),
    "looks-named": takes("what"),
    "looks-weights": takes("times"),
    "looks-years": takes("first", "last"),
    "looks-months": takes("distinct"),
    "looks-dates": takes("notation"),
    "looks-long": takes("words"),
    "looks-leading-zeros": takes("records"),
    "looks-missing-codes": takes("records", "codes"),
    "looks-decimal-commas": takes("records"),
    "looks-strange-texts": takes("records"),
    "looks-known-to-others": takes(),
    "looks-constant": takes("values"),
    "looks-empty": takes(),
}

_LINT = {
    # what is wrong with a rule set
    "lint-conflict": takes("rules"),
    "lint-conflict-of-values": takes("rules"),
    "lint-conditional-conflict": takes("rules"),
    "lint-contradictory-condition": takes(quotes=("condition",)),
    "lint-never-fires": takes("rules"),
    "lint-always-holds": takes(),
    "lint-implied": takes("rules"),
    "lint-duplicate": takes("rule"),
    "lint-fixed": takes("variable", "value", "rules"),
    "lint-bound": takes("variable", "side", "value", "rules"),
    "lint-never-present": takes("variable", "rules"),
    "lint-hidden": takes("lines", quotes=("contexts",)),
    "lint-text-order": takes("records", quotes=("comparison",)),
    "lint-inexact": takes("failing", "correct", "example", "is_known", quotes=("comparison",)),
    "lint-missing-guard": takes("variable", "breaks", "records", "guarded_by"),
    "lint-quadratic": takes("is_domain", quotes=("path",)),
    "lint-explosive": takes("start", "word", quotes=("regex",)),
    "lint-not-fired": takes("reasons"),
    "lint-no-case": takes("records"),
    "lint-constant": takes("failed", "checked", "constant", "better"),
    # what stays open
    "lint-undecided": takes("question", "name"),
}

CODES: Mapping[str, CodeParameters] = MappingProxyType(
    {
        **_OPERATORS,
        **_BLOCKS,
        **_RULES,
        **_VARIABLES,
        **_WARNINGS,
        **_PRICES,
        **_GOALS,
        **_FILES,
        **_UTILITY,
        **_RISK,
        **_ATTACKS,
        **_IDLE,
        **_EVIDENCE,
        **_LINT,
    }
)
"""The parameters of every code."""
