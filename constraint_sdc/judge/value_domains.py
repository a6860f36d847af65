"""The values of other files that value-domain rules look up, read once and kept small."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.data.table import Chunk, Layout
from constraint_sdc.errors import NotRowsError
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Outside, walk
from constraint_sdc.files.dataset import Dataset
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.divided import RunPiece, ScannedRun, scan_piece
from constraint_sdc.files.microdata.microdata import Microdata, open_microdata
from constraint_sdc.files.microdata.source import OnePass
from constraint_sdc.files.readings import Readings
from constraint_sdc.schematron.confinement import Confinement


def load_domains(
    rules: tuple[EditRule, ...],
    parameters: Mapping[str, Path],
    allowed: Confinement,
    readings: Readings,
    known: Dataset | None = None,
) -> dict[Outside, Domain]:
    """Read the values that value-domain rules compare with, each file once; `parameters` may name `original`.

    A file that is not there, not allowed or not rows is left out: Saxon then says what is wrong with it, or judges it
    as a document. `known` is a file that was read already; `readings` gets the digests of the others.
    """
    wanted: dict[Path, list[Outside]] = {}
    for outside in _outsides(rules):
        path = parameters.get("original") if outside.href is None else Path(outside.href)
        if path is not None and (outside.href is None or (path.exists() and allowed.contains(path))):
            wanted.setdefault(path, []).append(outside)
    domains: dict[Outside, Domain] = {}
    for path, outsides in wanted.items():
        try:
            domains.update(_domains_of(path, outsides, readings, known))
        except NotRowsError:
            continue
    return domains


def _outsides(rules: tuple[EditRule, ...]) -> Iterator[Outside]:
    expressions = (e for rule in rules for e in (rule.expression, rule.context and rule.context.condition) if e)
    for expression in expressions:
        yield from (part for part in walk(expression) if isinstance(part, Outside))


def _domains_of(
    path: Path, outsides: list[Outside], readings: Readings, known: Dataset | None
) -> dict[Outside, Domain]:
    if any(outside.href is not None for outside in outsides):
        readings.note_document(path)
    if known is not None and path == known.path and known.record is None:
        return _known_domains(known, outsides)
    with OnePass(path) as source:
        microdata = open_microdata(path, source=source)
        if known is not None and path == known.path and microdata.layout == known.microdata.layout:
            return _known_domains(known, outsides)
        source.begin()  # rules see other rows than the user's records
        domains = _read_domains(microdata, outsides, source)
    readings.note(path, source.sha256)
    return domains


def _read_domains(microdata: Microdata, outsides: list[Outside], source: OnePass) -> dict[Outside, Domain]:
    layout = microdata.layout
    domains = {outside: Domain() for outside in dict.fromkeys(outsides)}
    around = Around()
    is_uniform = layout.is_uniform
    for found in _domains_or_not(microdata, tuple({outside.steps[-1] for outside in domains}), around, source):
        if isinstance(found, Chunk):
            is_uniform &= found.layout.is_uniform and found.layout.wrappers == layout.wrappers
            _add(domains, found)
            continue
        for outside, domain in domains.items():
            domain.add_domain(found.domains[outside.steps[-1]])
    return _certain(domains, replace(layout, is_uniform=is_uniform), around.elements)


def _domains_or_not(
    microdata: Microdata, names: tuple[str, ...], around: Around, source: OnePass
) -> Iterator[DomainsOfRun | Chunk]:
    """Yield what workers find where there is enough to divide, else chunks."""
    if not microdata.is_worth_dividing:
        yield from microdata.chunks(around, source)
        return
    for _, found in microdata.mapped(domains_of_run, names, around, source):
        yield found


@dataclass(frozen=True, slots=True)
class DomainsOfRun:
    """The values that variables take in a run of records, by their names."""

    scanned: ScannedRun
    domains: dict[str, Domain]


def domains_of_run(piece: RunPiece) -> DomainsOfRun | None:
    """Scan a run in a worker, and collect the values of the variables that its context names; None if not plain."""
    found = scan_piece(piece)
    if found is None:
        return None
    chunk, scanned = found
    columns = {name: chunk.columns.get(name) for name in piece.context.open()}
    return DomainsOfRun(scanned, {name: Domain.of([column] if column else []) for name, column in columns.items()})


def _known_domains(dataset: Dataset, outsides: list[Outside]) -> dict[Outside, Domain]:
    """Return the values of a file that is in memory."""
    domains = {outside: Domain() for outside in dict.fromkeys(outsides)}
    for chunk in dataset.chunks():
        _add(domains, chunk)
    return _certain(domains, dataset.layout, dataset.outside)


def _add(domains: Mapping[Outside, Domain], chunk: Chunk) -> None:
    for outside, domain in domains.items():
        column = chunk.columns.get(outside.steps[-1])
        if column is not None:
            domain.add(column)


def _certain(domains: Mapping[Outside, Domain], layout: Layout, names: Collection[str]) -> dict[Outside, Domain]:
    """Return the domains whose path selects one variable of the records and nothing else."""
    path = (*layout.wrappers, layout.record)
    if layout.record in layout.wrappers:
        return {}  # a path that names the record finds the root's own values too
    return {outside: d for outside, d in domains.items() if _selects_variable(outside, path, layout.is_uniform, names)}


def _selects_variable(outside: Outside, path: tuple[str, ...], is_uniform: bool, names: Collection[str]) -> bool:
    """Tell whether the steps select exactly one variable of every record and nothing outside the records."""
    above, last = outside.steps[:-1], outside.steps[-1]
    if not above and not outside.absolute:
        return last not in names and not last.startswith("@")
    if outside.absolute and above != path:
        return False
    return above == path[-len(above) :] and (is_uniform or len(above) == 1)
