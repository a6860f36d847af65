"""An assessment made by hand, with all that one can hold: hostile names, blanks, figures that are not defined."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from constraint_sdc.data.pair import MaskedTogether, Pair
from constraint_sdc.maskers.masked import RuleOutcome
from constraint_sdc.measures.assessment import Assessment, Figure, Measured, ResultTable, SubdomainMeasured, Unit
from constraint_sdc.measures.sweep_points import SweepPoint
from constraint_sdc.reports.assessment.html import render_assessment_html
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared, group_means
from tests.reports.plans import FULL

HOSTILE = "<script>alert('1')</script>"
NAMES = ("V8", "V9", "V10", "V12", "V13", "V14", "Größe_統計", HOSTILE)
RECORDS = 1080
K = 10
OUTLIER = 987_654_321.0
"""A value of one record, which no page may show."""


def _pair() -> Pair:
    """Skewed numbers, grouped by their order in tens; one outlier, blanks, a constant, and two of categories."""
    rng = np.random.default_rng(7)
    numbers = np.round(np.exp(rng.normal(8, 1, (RECORDS, len(NAMES)))) * 10.0 ** np.arange(-3, 5))
    numbers[17, 0] = OUTLIER
    numbers[:, 3] = 5.0
    masked = group_means(numbers, np.argsort(np.argsort(numbers[:, 1])) // K)
    numbers[:40, 2] = masked[:40, 2] = np.nan
    variables = [compared(name, numbers[:, j], masked[:, j]) for j, name in enumerate(NAMES)]
    level = rng.integers(0, 5, RECORDS).astype(float)
    town = np.minimum(rng.geometric(0.35, RECORDS), 14).astype(float)
    variables.append(compared("Education", level, np.roll(level, 3), scale=Scale.ORDINAL))
    variables.append(compared("Town", town, np.where(town > 6, 1.0, town), scale=Scale.NOMINAL))
    variables.append(compared("Id", np.arange(RECORDS), np.arange(RECORDS), is_masked=False))
    return Pair(tuple(variables), NAMES[:6], (MaskedTogether(NAMES[:3], "mdav"), MaskedTogether(NAMES[3:])), K)


def _pairs_table() -> ResultTable:
    rows = [
        (one, other, 50.0 + i - j, None if (i, j) == (0, 1) else 0.5 / (i + j), -0.25)
        for i, one in enumerate(NAMES)
        for j, other in enumerate(NAMES)
        if i < j
    ]
    units = (None, None, Unit.PERCENT, Unit.PLAIN, Unit.PLAIN)
    return ResultTable("pairs", "By pair of variables", ("one", "other", "PIL", "before", "after"), units, tuple(rows))


def _by_variable(title: str) -> ResultTable:
    rows = tuple((name, 12.5 * (j + 1), 1234.5678 * 10.0**j, None if j == 3 else 0.001) for j, name in enumerate(NAMES))
    units = (None, Unit.PERCENT, Unit.PLAIN, Unit.PERCENT)
    return ResultTable("variables", title, ("variable", "loss", "mean before", "rare"), units, rows)


SECRET = ResultTable(
    "records", "Records an intruder finds", ("record", "value"), (Unit.COUNT, Unit.PLAIN), ((18, OUTLIER),),
    is_of_records=True,
)  # fmt: skip
PIL = Measured(
    "pil",
    "Probabilistic information loss",
    (
        Figure("pil", "probabilistic information loss", 46.934),
        Figure("means", "means", 0.0),
        Figure("variances", "variances", 85.53),
        Figure("covariances", "covariances", None),
    ),
    "On average 46.93% of the accuracy of means, variances, covariances, correlations and quantiles is lost.",
    (_by_variable("By variable"), _pairs_table()),
    (because("left-out-of-total", parts=("covariances",)),),
)
SSE = Measured(
    "sse", "Squared error", (Figure("sse", "squared error of squared spread", 9.0884),),
    "Masking moved the records by 9.09% of their spread.", (), (because("no-loss-of-own", variables=(HOSTILE,)),),
)  # fmt: skip
LINKAGE = Measured(
    "distance-linkage",
    "Distance-based record linkage",
    (
        Figure("linked", "records linked to their own original", 18.43),
        Figure("count", "records linked", 199.0417, Unit.COUNT),
        Figure("sure", "correct among unique links", 21.7),
    ),
    "An intruder who links each masked record to the nearest original is right for 18.43% of them.",
)
ACHIEVED = Measured(
    "achieved-k",
    "Achieved k",
    (
        Figure("k", "smallest class over all known variables", 1, Unit.COUNT),
        Figure("blocks-held", "blocks that keep the promise", 2, Unit.COUNT),
        Figure("blocks", "blocks", 2, Unit.COUNT),
    ),
    "Groups of 10 were promised: every block keeps the promise; over all known variables the smallest has 1 record.",
)
TRANSPARENCY = Measured(
    "transparency",
    "Transparency attack",
    (
        Figure("certain-links-published", "certain re-identifications by one who knows the method", 0.0),
        Figure("certain-records-published", "the same as a number of records", 0, Unit.COUNT),
        Figure("certain-links-rerun", "certain re-identifications by one who runs it", 2.5),
        Figure("certain-records-rerun", "the same as a number of records", 27, Unit.COUNT),
    ),
    "Re-identified with certainty: 27 of 1,080 records by one who runs the method.",
    (SECRET,),
    (because("sets-hold-truth"),),
)
SCORE = Measured(
    "score",
    "SCORE",
    (
        Figure("score", "SCORE", 35.447),
        Figure("pil", "information loss (PIL)", 46.934),
        Figure("dr", "disclosure risk (DR)", 23.96),
        Figure("dbrl", "linked records (DBRL)", 18.43),
        Figure("id", "interval disclosure (ID)", 29.49),
    ),
    "SCORE is 35.45, the mean of information loss 46.93 and disclosure risk 23.96; the unmasked file has 50.",
)
OUTCOMES = (
    RuleOutcome("EC-LC", "error", 1080, 3, 3, 0, 0),
    RuleOutcome("EC-GV", "error", 1080, 0, 0, 0, 0),
    RuleOutcome(f"rule {HOSTILE}", "warning", 1080, 4, 0, 4, 0),
    RuleOutcome("Größe ≥ 0", "error", 0, 0, 0, 0, 0),
)
CERTIFICATE = {
    "schema": "constraint-sdc/certificate",
    "schema_version": 2,
    "versions": {"constraint-sdc": "0.4.0", "python": "3.11.2", "numpy": "2.3.4"},
    "inputs": [
        {"role": "data", "file": "census.xml", "sha256": "a" * 64},
        {"role": "rules", "file": None, "sha256": "b" * 64},
    ],
    "output": {"file": "masked.xml", "sha256": "c" * 64, "records": RECORDS},
    "options": {
        "k": K, "partition": "auto", "effort": "high", "standardise": "robust", "weights": None, "seed": 0,
        "on_broken": "keep", "phase": "#ALL", "record": None, "original": None,
    },
    "recipe": {},
    "plan_sha256": "d" * 64,
}  # fmt: skip
FULL_ASSESSMENT = Assessment(
    original=Path("data/census.xml"),
    masked=Path("out/masked & <b>.xml"),
    records=RECORDS,
    known=NAMES[:6],
    rules=Path("rules/census.sch"),
    outcomes=OUTCOMES,
    certificate=CERTIFICATE,
    plan=FULL,
    mismatches=(),
    score=SCORE,
    utility=(SSE, PIL),
    subdomains=(
        SubdomainMeasured("Region", "Region = 'North'", 612, (SSE, PIL)),
        SubdomainMeasured(f"Town = {HOSTILE}", f"Town = {HOSTILE}", 2, (SSE, PIL)),
        SubdomainMeasured("Secret", "Secret = 987654.32", 2, (SSE, PIL)),
    ),
    risk=(LINKAGE, ACHIEVED),
    attacks=(TRANSPARENCY,),
    notes=(because("categories-unseen", variables=("Town",)),),
    pair=_pair(),
)
DOMINANCE = Measured(
    "dominance", "Dominance", (Figure("exposed", "groups whose largest value the second largest estimates", 0.0),),
    "In 0.00% of 90 groups the second largest member estimates the largest value to 10%.",
)  # fmt: skip
ACCEPTED_ASSESSMENT = replace(
    FULL_ASSESSMENT,
    risk=(
        replace(LINKAGE, figures=(Figure("linked", "records linked to their own original", 8.0),)),
        replace(ACHIEVED, figures=(Figure("k", "smallest class", 10, Unit.COUNT), *ACHIEVED.figures[1:])),
    ),
    attacks=(replace(TRANSPARENCY, figures=TRANSPARENCY.figures[:2]), DOMINANCE),
)
"""A file by which every criterion is met."""
BROKEN_ASSESSMENT = replace(
    FULL_ASSESSMENT,
    outcomes=(RuleOutcome("EC-LC", "error", 1080, 3, 3, 0, 42), *OUTCOMES[1:]),
    mismatches=("the masked file is not the one that the certificate tells of: its SHA-256 differs",),
)
BARE_ASSESSMENT = replace(
    FULL_ASSESSMENT,
    rules=None,
    outcomes=None,
    certificate=None,
    plan=None,
    utility=(),
    subdomains=(),
    risk=(),
    attacks=(),
    notes=(),
    score=replace(SCORE, figures=tuple(replace(figure, value=None) for figure in SCORE.figures), says="not defined"),
    pair=Pair((), (), (), None),
)


def sweep_points() -> tuple[SweepPoint, ...]:
    """Two scenarios, k = 1..99, as the paper's figures look: loss grows with k, risk falls."""

    def point(scenario: str, k: int, harder: float) -> SweepPoint:
        pil = 100 * (1 - k**-harder)
        dbrl, id_ = 100.0 / k**0.9, 20 + 80 / k**0.5
        dr = (dbrl + id_) / 2
        return SweepPoint(
            scenario, "microaggregation", "mdav", k, pil, dbrl, id_, dr, (pil + dr) / 2, pil / 4, 0, k, 0.5
        )

    harder = {"with rules": 0.33, "without rules": 0.27}
    return tuple(point(scenario, k, power) for scenario, power in harder.items() for k in range(1, 100))


@cache
def page_of(name: str) -> str:
    """Return a page that several tests look at: "full" with a sweep, "broken" with values, or "bare"."""
    match name:
        case "full":
            return render_assessment_html(FULL_ASSESSMENT, sweep=sweep_points())
        case "broken":
            return render_assessment_html(BROKEN_ASSESSMENT, show_values=True)
        case _:
            return render_assessment_html(BARE_ASSESSMENT)
