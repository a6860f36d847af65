"""Attack: what an intruder would try, carried out on a masked file and its original."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from constraint_sdc.commands.measuring.compared_files import ComparedFiles, compare_files
from constraint_sdc.commands.measuring.intruder_file import read_intruder_file, refuse_truth_mistakes
from constraint_sdc.commands.measuring.records_file import Progress, intruders_file
from constraint_sdc.errors import UsageError
from constraint_sdc.measures.assessment import AssessOptions, Measure, Measured, MeasureInputs
from constraint_sdc.measures.attacks.single_ranking import SingleRanking
from constraint_sdc.measures.parameters import noted
from constraint_sdc.measures.registry import MEASURES, attacks, prepared
from constraint_sdc.settings.parameters import parameters_of, with_parameters
from constraint_sdc.settings.reason import Reason, because

# Which settings of single-ranking look at a parameter; None is all settings together.
_SETTINGS_OF = {
    "against": (None, "corresponding"),
    "share": (None, "sample", "corresponding"),
    "off": (None, "corresponding"),
    "deviation": (None, "corresponding"),
}
PARAMETERS = ("setting", "metric", *_SETTINGS_OF)
"""What can be told to single-ranking."""


def attack_files(
    original: Path,
    masked: Path,
    attack: str,
    options: AssessOptions,
    parameters: Mapping[str, Any],
    progress: Progress = lambda _: None,
) -> tuple[Measured, tuple[Reason, ...]]:
    """Return what one attack finds, and what is to be said about the files themselves.

    `parameters` are those of the attack by name; None is "not given".
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    _refuse_mistakes(attack, options, given)
    compared = compare_files(original, masked, options, progress)
    measured = _attack(attack, options, given, compared).measure(compared.pair)
    if attack != SingleRanking.name:
        measured = noted(measured, {**options.parameters.get(attack, {}), **given})
    mismatches = tuple(because("certificate-differs", quotes={"how": text}) for text in compared.judged.mismatches)
    return measured, (*mismatches, *compared.notes, *compared.judged.notes)


def _refuse_mistakes(attack: str, options: AssessOptions, given: Mapping[str, Any]) -> None:
    if attack not in attacks():
        raise UsageError(f"no attack is called {attack!r}", hint=f"use one of: {', '.join(attacks())}")
    if MEASURES[attack].traits.needs_rules and options.rules is None:
        raise UsageError("without rules nothing can be inferred from them", hint="give --rules")
    if MEASURES[attack].traits.needs_release != (options.release is not None):
        if options.release is None:
            raise UsageError("there is no other release to compare with", hint="give --release")
        raise UsageError("--release has no meaning here", hint=f"{attack} takes no other release")
    _refuse_intruder_mistakes(attack, options)
    if options.known_at_most is not None:
        raise UsageError("known_at_most has no meaning here", hint="it belongs to the SCORE of assess and sweep")
    _told(attack, options, given)
    if attack != SingleRanking.name:
        return
    setting = given.get("setting")
    for name, settings in _SETTINGS_OF.items():
        if name in given and setting not in settings:
            raise UsageError(f"--{name} has no meaning here", hint=f"it does not belong to --setting {setting}")
    if "against" in given and "deviation" in given:
        raise UsageError("--deviation has no meaning here", hint="the file of --against has its own errors")


def _refuse_intruder_mistakes(attack: str, options: AssessOptions) -> None:
    needs = MEASURES[attack].traits.needs_intruder
    if needs and options.intruder is None:
        raise UsageError("there is no file of an intruder to link", hint="give --intruder")
    if not needs and options.intruder is not None:
        raise UsageError("--intruder has no meaning here", hint=f"{attack} takes no file of an intruder")
    refuse_truth_mistakes(options)


def _told(attack: str, options: AssessOptions, given: Mapping[str, Any]) -> Measure:
    """Return an attack with the parameters that it declares, as they are given."""
    for name in options.parameters:
        if name != attack:
            raise UsageError(f"parameters of {name} have no meaning here", hint=f"the attack is {attack}")
    measure = MEASURES[attack]
    if attack == SingleRanking.name:  # it has a door of its own, for a file among others
        return with_parameters(measure, attack, options.parameters.get(attack, {}))
    declared = [one.name for one in parameters_of(measure)]
    for name in given:
        if name in PARAMETERS and name not in declared:
            raise UsageError(f"{name} has no meaning here", hint=f"it belongs to {SingleRanking.name}")
    return with_parameters(measure, attack, {**options.parameters.get(attack, {}), **given})


def _attack(attack: str, options: AssessOptions, given: Mapping[str, Any], compared: ComparedFiles) -> Measure:
    if attack != SingleRanking.name:
        file = read_intruder_file(compared, options)
        inputs = MeasureInputs(options.seed, compared.judged.held, compared.domains, intruder=file)
        told = _told(attack, options, given)
        return prepared(told, inputs) or told
    chosen = {name: value for name, value in given.items() if name != "against"} | {"seed": options.seed}
    if "against" in given:
        points = intruders_file(given["against"], compared.pair, options)
        chosen |= {"setting": "corresponding", "file": points}
    return SingleRanking(**chosen)
