"""A check whose runs are judged by workers has the verdict of one process, whatever the file looks like."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.commands import check
from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.engines import processes
from constraint_sdc.engines.engine import EngineSettings
from constraint_sdc.engines.running import engine_of
from constraint_sdc.errors import ConstraintSdcError
from constraint_sdc.files.microdata import divided
from constraint_sdc.files.microdata.microdata import open_microdata
from constraint_sdc.judge import value_domains
from constraint_sdc.judge.judged_rows import judge_run
from constraint_sdc.judge.value_domains import domains_of_run

RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt3">
<let name="original" value="doc('domain.xml')"/>
<pattern id="p"><rule context="R">
  <assert id="sum" test="number(A) + number(B) = number(C)">A is <value-of select="A"/></assert>
  <assert id="cast" test="xs:integer(A) ge 0">A</assert>
  <assert id="domain" test="exists(index-of($original//R/A, A))">A</assert>
  <report id="told" test="B = '7'">B</report>
</rule></pattern>
<pattern id="q"><rule context="C"><assert id="node" test=". != '9'">C</assert></rule></pattern>
</schema>"""

ODD = (
    "<!-- between -->",
    "<R><A>1</A><!-- inside --><B>2</B><C>3</C></R>",
    "<R><A><![CDATA[4]]></A><B>2</B><C>6</C></R>",
    "<R><A>x</A><B>2</B><C>9</C></R>",
    "<R><B>7</B></R>",
    "<R><A>1</A><B> </B><C/><D>new</D></R>",
    '<R><A unit="t">1</A><B>2</B><C>3</C></R>',
    "<R><A>99999999999999999999</A><B>2</B><C>é</C></R>",
    "<other/>",
    "\n\n",
    "<R><A>1</A><A>2</A></R>",
    "<R><A>1</A",
)


@pytest.fixture(scope="module", autouse=True)
def two_workers() -> Iterator[None]:
    """All tests share the workers, to which even small files go."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "WORTH_WORKERS", 0.0)
        for module in (check, value_domains):
            patch.setattr(module, "open_microdata", partial(open_microdata, chunk_bytes=1500))
        with engine_of(EngineSettings("processes", workers=2)):
            yield


def drawn_file(folder: Path, seed: int) -> Path:
    rng = random.Random(seed)
    rows = []
    for _ in range(rng.randint(150, 400)):
        a, b = rng.randint(0, 9), rng.randint(0, 9)
        rows.append(f"<R><A>{a}</A><B>{b}</B><C>{a + b + (rng.random() < 0.05)}</C></R>\n")
    for _ in range(rng.choice((0, 0, 1, 1, 3))):
        rows.insert(rng.randint(len(rows) // 4, len(rows)), rng.choice(ODD))
    path = folder / "data.xml"
    path.write_text(f"<D><Head/>\n{''.join(rows)}</D>\n")
    (folder / "rules.sch").write_text(RULES)
    (folder / "domain.xml").write_text(f"<D>{''.join(domain_rows(rng))}</D>")
    return path


def domain_rows(rng: random.Random) -> list[str]:
    """Return the rows of a file with values of A: short and long ones, repeated, with something unexpected inside."""
    values = [
        *range(9),
        *(rng.randrange(10**12) for _ in range(200)),
        "99999999999999999999",
        "a longer text than these",
    ]
    rows = [f"<R><A>{rng.choice(values[9:])}</A></R>\n" for _ in range(200)] + [f"<R><A>{n}</A></R>" for n in range(9)]
    rng.shuffle(rows)
    for _ in range(rng.choice((0, 1))):
        rows.insert(rng.randrange(len(rows)), rng.choice(ODD[:-1]))
    return rows


def outcome(path: Path, options: CheckOptions) -> Any:
    try:
        return check_file(path, path.parent / "rules.sch", options)
    except ConstraintSdcError as error:
        return type(error), str(error)


@pytest.mark.parametrize("seed", range(24))
def test_the_verdict_is_that_of_one_process(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    path = drawn_file(tmp_path, seed)
    rng = random.Random(seed)
    options = CheckOptions(
        max_examples=rng.choice((0, 2, 10, None)),
        show_values=rng.random() < 0.3,
        key=rng.choice((None, None, "A", "D")),
        missing_codes={"B": ("5",)},
    )
    by_workers = outcome(path, options)
    with engine_of(EngineSettings("serial")):
        monkeypatch.setattr(divided, "map_pieces", lambda *_, **__: pytest.fail("divided"))
        assert outcome(path, options) == by_workers


def test_workers_do_take_the_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[Any] = []
    functions: list[Any] = []

    def heard(function: Any, pieces: Any, *, work: float, is_verdict: bool) -> Iterator[Any]:
        assert is_verdict
        functions.append(function)
        from constraint_sdc.engines.running import map_pieces

        for found in map_pieces(function, pieces, work=work, is_verdict=is_verdict):
            if function is judge_run:
                taken.append(found)
            yield found

    monkeypatch.setattr(divided, "map_pieces", heard)
    path = tmp_path / "data.xml"
    drawn_file(tmp_path, 1)
    path.write_text("<D>" + "<R><A>1</A><B>2</B><C>3</C></R>\n" * 300 + "<!-- x --><R><A>1</A></R></D>")
    result = check_file(path, tmp_path / "rules.sch")
    assert result.records == 301
    assert functions == [domains_of_run, judge_run]
    assert [found is None for found in taken] == [False] * (len(taken) - 1) + [True]
    assert len(taken) > 5
