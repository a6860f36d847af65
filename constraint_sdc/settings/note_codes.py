"""The codes of notes and findings: files, measures, attacks, idle rules, what columns look like, the rule set."""

from __future__ import annotations

from constraint_sdc.settings.code_parameters import takes

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

NOTE_CODES = {**_FILES, **_UTILITY, **_RISK, **_ATTACKS, **_IDLE, **_EVIDENCE, **_LINT}
"""Their sentences are in `reports`: notes, idle rules, evidence, and `lint/lint_sentences.py`."""
