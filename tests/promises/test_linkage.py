"""Linkage: publishing waits for the measure, and a file above the bound is refused with ways out that were tried."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import constraint_sdc as cs
from constraint_sdc.errors import NotPublishedError, UsageError

ROLES = "k: 3\nvariables: {A: {role: quasi-identifier}, B: {role: quasi-identifier}}\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    random = np.random.default_rng(1)
    rows = "".join(f"<R><A>{a:.1f}</A><B>{b:.1f}</B></R>" for a, b in random.normal(500, 90, (80, 2)).tolist())
    path = tmp_path / "data.xml"
    path.write_text(f"<D>{rows}</D>", "utf-8")
    return path


def masked(data: Path, protect: str, **options: object) -> cs.MaskResult:
    recipe = data.with_name("recipe.yml")
    recipe.write_text(f"{ROLES}protect: {protect}\n", "utf-8")
    return cs.mask_file(data, None, data.with_name("masked.xml"), recipe=recipe, **options)  # type: ignore[arg-type]


def test_what_is_certified_is_what_assess_measures(data: Path) -> None:
    result = masked(data, "{linkage: {at most: 60%, known: [A, B]}}")
    (linked,) = [one for one in result.people if one.promise == "linkage"]
    assert linked.is_kept
    assessment = cs.assess_files(data, result.output, known=("A", "B"))
    (measured,) = [one for one in assessment.risk if one.measure == "distance-linkage"]
    both = [measured.value("linked"), measured.value("reverse")]
    assert max(one for one in both if one is not None) == pytest.approx(linked.found["percent"])


def test_above_the_bound_nothing_is_published_and_the_ways_out_work(data: Path) -> None:
    with pytest.raises(NotPublishedError, match="does not keep what is promised") as refused:
        masked(data, "{linkage: {at most: 10%, known: [A, B]}}")
    assert not data.with_name("masked.xml").exists()
    assert [way.k for way in refused.value.ways if way.k] != []
    (k,) = [way.k for way in refused.value.ways if way.k]
    (weaker,) = [way.promises[0].value for way in refused.value.ways if way.promises and way.promises[0].entry]
    assert masked(data, "{linkage: {at most: 10%, known: [A, B]}}", k=k).output.exists()
    assert masked(data, f"{{linkage: {{at most: {weaker:g}%, known: [A, B]}}}}", overwrite=True).output.exists()


def test_without_known_variables_the_intruder_knows_the_key(data: Path) -> None:
    result = masked(data, "{linkage: {at most: 100%}}")
    (linked,) = [one for one in result.people if one.promise == "linkage"]
    assert linked.of == ("A", "B")
    recipe = data.with_name("no-key.yml")
    recipe.write_text("k: 3\nprotect: {linkage: {at most: 5}}\n", "utf-8")
    with pytest.raises(UsageError, match="does not say what an intruder knows"):
        cs.mask_file(data, None, data.with_name("other.xml"), recipe=recipe)
