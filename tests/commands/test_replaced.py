"""A file is replaced while `mask` runs: nothing is published, or exactly what a run on one version publishes.

Every file that a run reads, at every stage. What is published is compared byte by byte, the certificate with its
digests included, with what undisturbed runs publish on the old and on the new version.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.commands import mask as pipeline
from constraint_sdc.commands.certificate.verify import check_certificate
from constraint_sdc.commands.check import CheckOptions, check_file
from constraint_sdc.commands.masking import judging, preparation
from constraint_sdc.errors import ConstraintSdcError
from constraint_sdc.exam.guarantee.judging import pooled_saxon
from constraint_sdc.files.recipe import load_recipe
from constraint_sdc.judge import rule_set as understanding
from constraint_sdc.judge.worker.process import Worker
from constraint_sdc.maskers.masked import MaskOptions

ROWS = "".join(
    f"<Record><A>{n * 7 % 40}</A><B>{n * 7 % 40 + 100}</B><C>{'xy'[n % 2]}</C><D>{n % 4}</D></Record>\n"
    for n in range(24)
)
RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<include href="more.sch"/>
<pattern><rule context="Record">
<assert id="code" test="C = doc('codes.xml')//c">x</assert>
<assert id="spelt" test="contains(unparsed-text('words.txt'), C)">x</assert>
<assert id="known" test="exists(index-of($original//Record/D, D))">x</assert>
<assert id="order" test="number(A) &lt; number(B)">x</assert>
</rule></pattern></schema>"""
MORE = """<pattern xmlns="http://purl.oclc.org/dsdl/schematron"><rule context="Record">
<assert id="more" test="string-to-codepoints(C)[1] &lt; 1000">x</assert></rule></pattern>"""
FILES = {
    "data.xml": f"<Microdata>\n{ROWS}</Microdata>",
    "rules.sch": RULES,
    "more.sch": MORE,
    "codes.xml": "<codes><c>x</c><c>y</c></codes>",
    "words.txt": "x y",
    "original.xml": "<Microdata><Record><D>0</D></Record><Record><D>1</D></Record><Record><D>2</D></Record>"
    "<Record><D>3</D></Record></Microdata>",
    "recipe.yml": "k: 3\nseed: 1\nmask: {partition: mdav}\n",
}
OTHERS = {
    "data.xml": FILES["data.xml"].replace("<A>7</A>", "<A>9</A>", 1),
    "rules.sch": RULES.replace("number(A) &lt; number(B)", "number(A) &lt;= number(B)"),
    "more.sch": MORE.replace("1000", "2000"),
    "codes.xml": "<codes><c>x</c><c>y</c><c>z</c></codes>",
    "words.txt": "x y z",
    "original.xml": FILES["original.xml"].replace("<D>3<", "<D>3</D></Record><Record><D>4<"),
    "recipe.yml": "k: 4\nseed: 1\nmask: {partition: mdav}\n",
}
STAGES = {
    "read the data": (preparation, "read_dataset"),
    "load the rules": (preparation, "load_rules"),
    "understand the rules": (preparation, "understand_rules"),
    "read the domains": (understanding, "load_domains"),
    "judge the original": (preparation, "check_dataset"),
    "mask": (pipeline, "carry_out"),
    "write": (judging, "write_staged"),
    "read back": (judging, "verify_staged"),
    "judge what was written": (judging, "check_written"),
    "compare": (judging, "compare_verdicts"),
    "certify": (pipeline, "certificate_text"),
}


@pytest.fixture(autouse=True, scope="module")
def saxon() -> Iterator[None]:
    with pooled_saxon():
        yield


def folder_of(path: Path, files: dict[str, str]) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def masked(folder: Path) -> dict[str, bytes]:
    """Mask in a folder and return what was published, nothing when the run refused."""
    output = folder / "out" / "masked.xml"
    shutil.rmtree(output.parent, ignore_errors=True)
    output.parent.mkdir()
    recipe, digest = load_recipe(folder / "recipe.yml")
    options = MaskOptions(
        recipe=recipe, recipe_file=folder / "recipe.yml", recipe_sha256=digest, original=folder / "original.xml"
    )
    try:
        pipeline.mask_file(folder / "data.xml", folder / "rules.sch", output, options)
    except ConstraintSdcError:
        assert list(output.parent.iterdir()) == []
        return {}
    return {path.name: path.read_bytes() for path in sorted(output.parent.iterdir())}


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str | None], dict[str, bytes]]:
    """What an undisturbed run publishes, on the files as they are or with one of them in its other version."""
    known: dict[str | None, dict[str, bytes]] = {}

    def published(changed: str | None) -> dict[str, bytes]:
        if changed not in known:
            files = FILES if changed is None else {**FILES, changed: OTHERS[changed]}
            known[changed] = masked(folder_of(tmp_path_factory.mktemp("clean"), files))
        return known[changed]

    return published


def replacing(path: Path, text: str, stage: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
    def hooked(*given: Any, **named: Any) -> Any:
        if after:
            result = stage(*given, **named)
            path.write_text(text, encoding="utf-8")
            return result
        path.write_text(text, encoding="utf-8")
        return stage(*given, **named)

    return hooked


def test_undisturbed_runs_publish_and_certify_every_file(
    clean: Callable[[str | None], dict[str, bytes]],
) -> None:
    certificate = json.loads(clean(None)["masked.xml.certificate.json"])
    claimed = {(entry["role"], entry["file"]): entry["sha256"] for entry in certificate["inputs"]}
    roles = {
        ("data", "data.xml"): "data.xml",
        ("rules", "rules.sch"): "rules.sch",
        ("rules", "more.sch"): "more.sch",
        ("document", "codes.xml"): "codes.xml",
        ("document", "words.txt"): "words.txt",
        ("original", "original.xml"): "original.xml",
        ("recipe", "recipe.yml"): "recipe.yml",
    }
    assert claimed == {key: hashlib.sha256(FILES[name].encode()).hexdigest() for key, name in roles.items()}
    assert len({tuple(clean(name).items()) for name in (None, *FILES)}) == 1 + len(FILES), "the versions must differ"


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("after", [False, True])
def test_a_file_that_is_replaced_at_a_stage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    clean: Callable[[str | None], dict[str, bytes]],
    name: str,
    stage: str,
    after: bool,
) -> None:
    folder = folder_of(tmp_path / "run", FILES)
    module, function = STAGES[stage]
    hook = replacing(folder / name, OTHERS[name], getattr(module, function), after=after)
    monkeypatch.setattr(module, function, hook)
    assert masked(folder) in ({}, clean(None), clean(name))
    assert (folder / name).read_text() == OTHERS[name], "the stage must have been reached"


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_replaced_at_each_message_to_saxon(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    clean: Callable[[str | None], dict[str, bytes]],
    name: str,
) -> None:
    asking, turn = Worker.ask, [0, 0]

    def ask(self: Worker, *given: Any, **named: Any) -> Any:
        turn[0] += 1
        if turn[0] == turn[1]:
            (folder / name).write_text(OTHERS[name], encoding="utf-8")
        return asking(self, *given, **named)

    monkeypatch.setattr(Worker, "ask", ask)
    while turn[0] >= turn[1]:
        folder = folder_of(tmp_path / "run", FILES)
        turn[:] = 0, turn[1] + 1
        assert masked(folder) in ({}, clean(None), clean(name))
    assert turn[1] > 6


@pytest.mark.parametrize("stage", ["judge what was written", "compare", "certify"])
@pytest.mark.parametrize("how", ["in place", "another file", "another file with the same times", "a link"])
def test_a_staged_file_that_is_replaced_is_not_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str, how: str
) -> None:
    folder = folder_of(tmp_path / "run", FILES)
    module, function = STAGES[stage]
    real = getattr(module, function)

    def hooked(*given: Any, **named: Any) -> Any:
        result = None if stage == "judge what was written" else real(*given, **named)
        (staged,) = (path for path in (folder / "out").iterdir() if path.name.endswith(".staged.masked.xml"))
        text, times = staged.read_text().replace("<C>x</C>", "<C>y</C>", 1), staged.stat()
        if how != "in place":
            staged.unlink()
        if how == "a link":
            (folder / "elsewhere.xml").write_text(text)
            staged.symlink_to(folder / "elsewhere.xml")
        else:
            staged.write_text(text)
        if how == "another file with the same times":
            os.utime(staged, ns=(times.st_atime_ns, times.st_mtime_ns))
        return real(*given, **named) if stage == "judge what was written" else result

    monkeypatch.setattr(module, function, hooked)
    assert masked(folder) == {}


@pytest.mark.parametrize("name", ["data.xml", "codes.xml", "words.txt", "original.xml", "rules.sch"])
@pytest.mark.parametrize("engine", ["auto", "saxon"])
def test_a_check_judges_one_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, engine: Any) -> None:
    """The digests of a check are those of the bytes that were judged."""
    asking, turn = Worker.ask, [0, 0]

    def ask(self: Worker, *given: Any, **named: Any) -> Any:
        turn[0] += 1
        if turn[0] == turn[1]:
            (folder / name).write_text(OTHERS[name], encoding="utf-8")
        return asking(self, *given, **named)

    def checked() -> Any:
        options = CheckOptions(engine=engine, original=folder / "original.xml")
        try:
            return check_file(folder / "data.xml", folder / "rules.sch", options).inputs
        except ConstraintSdcError:
            return None

    folder = folder_of(tmp_path / "run", FILES)
    old = checked()
    folder_of(folder, {name: OTHERS[name]})
    new = checked()
    assert old != new
    monkeypatch.setattr(Worker, "ask", ask)
    while turn[0] >= turn[1]:
        folder_of(folder, FILES)
        turn[:] = 0, turn[1] + 1
        assert checked() in (None, old, new)


@pytest.mark.parametrize("name", ["codes.xml", "words.txt", "original.xml", "rules.sch", "more.sch"])
def test_a_certificate_names_what_has_changed_since(tmp_path: Path, name: str) -> None:
    folder = folder_of(tmp_path / "run", FILES)
    certificate = json.loads(masked(folder)["masked.xml.certificate.json"])
    data, rules = folder / "out" / "masked.xml", folder / "rules.sch"

    def mismatches(options: CheckOptions) -> str:
        return " ".join(check_certificate(certificate, data, rules, check_file(data, rules, options)).mismatches)

    assert mismatches(CheckOptions(original=folder / "original.xml", allow=(folder,))) == ""
    assert mismatches(CheckOptions(domain=folder / "original.xml", allow=(folder,))) == ""
    folder_of(folder, {name: OTHERS[name]})
    found = mismatches(CheckOptions(original=folder / "original.xml", allow=(folder,)))
    assert hashlib.sha256(OTHERS[name].encode()).hexdigest() in found
