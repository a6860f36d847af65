"""Assess: how much a masked file lost, how much is at risk, under which attack, and whether its rules still hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from constraint_sdc.arrays import Rows
from constraint_sdc.commands.measuring.compared_files import ComparedFiles, compare_files
from constraint_sdc.commands.measuring.intruder_file import read_intruder_file, refuse_truth_mistakes
from constraint_sdc.commands.measuring.records_file import Progress
from constraint_sdc.data.pair import Pair
from constraint_sdc.data.table import Table
from constraint_sdc.errors import UsageError
from constraint_sdc.evaluate.subdomain import parse_subdomain
from constraint_sdc.files.recipe import recipe_from_json
from constraint_sdc.measures.assessment import Assessment, AssessOptions, Measure, Measured, NotRun, SubdomainMeasured
from constraint_sdc.measures.codebook import codebook_of
from constraint_sdc.measures.parameters import noted
from constraint_sdc.measures.registry import (
    MEASURES,
    ToldParameters,
    attacks_on,
    risk_measures,
    score_of,
    utility_measures,
)
from constraint_sdc.measures.risk.subset_linkage import SubsetLinkage, require_known_at_most
from constraint_sdc.measures.utility.regressions import Regression, Regressions, parse_regression
from constraint_sdc.measures.verdict import require_bounds
from constraint_sdc.plan.read_series import subdomain_rows
from constraint_sdc.settings.parameters import with_parameters
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Scale


def assess_files(
    original: Path, masked: Path, options: AssessOptions, progress: Progress = lambda _: None
) -> Assessment:
    """Return everything that is measured of a masked file; `progress` hears the number of records read."""
    _refuse_idle_parameters(options)
    refuse_truth_mistakes(options)
    require_bounds(options.recipe.accept)
    given = _with_bound(options)
    compared = compare_files(original, masked, options, progress)
    pair, recipe = compared.pair, options.recipe
    regressions = tuple(_regression(text, pair) for text in recipe.assess.regressions)
    utility = _run(utility_measures(regressions, given), pair, given)
    risk = _run(risk_measures(options.seed, given), pair, given)
    intruder = read_intruder_file(compared, options)
    attacks = attacks_on(
        compared.judged.held,
        compared.domains,
        options.seed,
        options.attacks,
        given,
        intruder,
        has_release=pair.other is not None,
    )
    carried_out = _run(attacks, pair, given)
    return Assessment(
        original=original,
        masked=masked,
        records=len(pair),
        known=pair.known,
        rules=options.rules,
        outcomes=compared.judged.outcomes,
        certificate=compared.certificate,
        plan=compared.plan,
        mismatches=compared.judged.mismatches,
        score=score_of(utility, risk, options.known_at_most),
        utility=utility,
        subdomains=_subdomains(compared, options, regressions),
        risk=risk,
        attacks=carried_out,
        notes=(*compared.notes, *compared.judged.notes),
        pair=pair,
        accept=recipe.accept,
        not_run=(*_without_figure((*utility, *risk, *carried_out)), *_not_tried(carried_out, options)),
        harmless=_harmless(compared, recipe),
        codebook=codebook_of(pair, tuple(n for n in compared.table.columns if n not in compared.released.columns)),
    )


def _harmless(compared: ComparedFiles, recipe: Recipe) -> frozenset[str]:
    """Return what a recipe keeps with a reason: the recipe that is given, or the one that the file was masked by."""
    recipes = [recipe]
    if compared.certificate is not None and compared.plan is not None:  # it fits the two files
        recipes.append(recipe_from_json(compared.certificate["recipe"]))
    return frozenset(name for one in recipes for name, wish in one.variables.items() if wish.keep is not None)


def _without_figure(measured: Sequence[Measured]) -> Iterator[NotRun]:
    """Yield what was asked for, but has no headline, in its own words."""
    return (NotRun(one.measure, one.title, one.says) for one in measured if one.figures[0].value is None)


def _not_tried(carried_out: Sequence[Measured], options: AssessOptions) -> Iterator[NotRun]:
    """Yield the measures and attacks that were not even tried, and why."""
    done = {one.measure for one in carried_out}
    for measure in MEASURES.all():
        if measure.traits.family == "attack" and measure.name not in done:
            yield NotRun(measure.name, measure.title, _why_not_tried(measure, options))
        elif isinstance(measure, Regressions) and not options.recipe.assess.regressions:
            yield NotRun(measure.name, measure.title, because("not-defined", why=because("no-regression-named")))


def _why_not_tried(attack: Measure, options: AssessOptions) -> Reason:
    if attack.traits.needs_rules:
        if options.rules is None:
            return because("no-rules-given")
        if options.attacks is None:
            return because("attack-needs-rules")
    if attack.traits.needs_intruder and options.intruder is None:
        return because("no-intruder-file")
    if attack.traits.needs_release and options.release is None:
        return because("no-other-release")
    if options.attacks is not None:
        return because("attack-left-out")
    return because("attack-not-named", attack=attack.name)


def _run(measures: Sequence[Measure], pair: Pair, given: ToldParameters) -> tuple[Measured, ...]:
    return tuple(noted(measure.measure(pair), given.get(measure.name, {})) for measure in measures)


def _with_bound(options: AssessOptions) -> ToldParameters:
    """Return the parameters of measures; linkage by subsets is told how many variables an intruder knows at most."""
    if options.known_at_most is None:
        return options.parameters
    require_known_at_most(options.known_at_most)
    told = options.parameters.get(SubsetLinkage.name, {})
    if "known_at_most" in told:
        raise UsageError("known_at_most is given twice", hint=f"leave {SubsetLinkage.name}.known_at_most out")
    return {**options.parameters, SubsetLinkage.name: {**told, "known_at_most": options.known_at_most}}


def _refuse_idle_parameters(options: AssessOptions) -> None:
    """Refuse parameters that do not exist, have no such value, or belong to an attack that is not tried."""
    for name, values in options.parameters.items():
        traits = with_parameters(MEASURES[name], name, values).traits
        is_tried = traits.by_default if options.attacks is None else name in options.attacks
        if traits.family == "attack" and not is_tried:
            raise UsageError(f"parameters of {name} have no meaning here", hint="it is not among the attacks to try")
        if traits.needs_rules and options.rules is None:
            raise UsageError(f"parameters of {name} have no meaning here", hint="it needs --rules")
        if traits.needs_intruder and options.intruder is None:
            raise UsageError(f"parameters of {name} have no meaning here", hint="it needs --intruder")
    named = [MEASURES[name].traits for name in options.attacks or () if name in MEASURES]
    if options.attacks is not None:
        if options.intruder is not None and not any(traits.needs_intruder for traits in named):
            raise UsageError("--intruder has no meaning here", hint="no attack of --attacks takes a file")
        if options.release is not None and not any(traits.needs_release for traits in named):
            raise UsageError("--release has no meaning here", hint="no attack of --attacks takes another release")


def _regression(text: str, pair: Pair) -> Regression:
    try:
        regression = parse_regression(text)
    except ValueError as problem:
        raise UsageError(f"the recipe's regression {text!r}: {problem}", hint="such as V12 ~ V8 + V13") from None
    names = {v.name: v for v in pair.variables}
    for name in (regression.response, *regression.predictors):
        if name not in names:
            hint = f"both files have: {', '.join(list(names)[:20])}"
            raise UsageError(f"the recipe's regression {text!r} names {name!r}, which is not in both files", hint=hint)
        if names[name].scale is not Scale.NUMERIC:
            hint = "regressions are computed from numbers alone"
            raise UsageError(f"the recipe's regression {text!r} names {name}, whose values are not numbers", hint=hint)
    return regression


def _subdomains(
    compared: ComparedFiles, options: AssessOptions, regressions: tuple[Regression, ...]
) -> tuple[SubdomainMeasured, ...]:
    """Measure the utility of every subdomain of the recipe; the original values decide who belongs to it."""
    measured, given = [], options.parameters
    measures = utility_measures(regressions, given)
    for wish in options.recipe.assess.subdomains:
        for name, rows in _records_of(wish, compared.table, options.recipe):
            part = _run(measures, compared.pair.of(rows), given) if len(rows) else ()
            measured.append(SubdomainMeasured(wish, name, len(rows), part))
    return tuple(measured)


def _records_of(wish: str, table: Table, recipe: Recipe) -> tuple[tuple[str, Rows], ...]:
    """Return the subdomains of one wish, each with its records; missing codes are blanks here too."""
    try:
        return subdomain_rows(parse_subdomain(wish, tuple(table.columns)), table, recipe)
    except ValueError as problem:
        raise UsageError(f"the recipe's subdomain {wish!r}: {problem}") from None
