"""One test for each door that is shut, and one that shows the same attacks succeeding when nobody shuts them.

The stylesheets here go straight to the worker, past the rewriting of expressions: what they meet is Saxon's own door.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from constraint_sdc.errors import DataError, ResourceRefusedError, RulesError
from constraint_sdc.judge.worker.process import Worker
from constraint_sdc.schematron.xslt import JUDGE

if TYPE_CHECKING:
    from conftest import Desk

SECRET = "the-secret-value"
XSL = "http://www.w3.org/1999/XSL/Transform"


def sheet(body: str, before: str = "") -> str:
    """Return a stylesheet with a main template, and declarations before it."""
    head = (
        f'<xsl:stylesheet version="3.0" xmlns:xsl="{XSL}" xmlns:c="{JUDGE}" '
        'xmlns:fn="http://www.w3.org/2005/xpath-functions" xmlns:xs="http://www.w3.org/2001/XMLSchema">'
    )
    return f'{head}{before}<xsl:template name="c:main">{body}</xsl:template></xsl:stylesheet>'


def asks(expression: str) -> str:
    """Return a stylesheet that gives the string of what an expression yields."""
    return sheet(f'<xsl:sequence select="string-join(({expression}) ! string(.))"/>')


VARIABLE = "<xsl:sequence select='string($s)'/>"
MERGE = """<xsl:merge><xsl:merge-source name='x' for-each-source="'FOLDER/secret.xml'" select='*'>
<xsl:merge-key select='.'/></xsl:merge-source>
<xsl:merge-action><xsl:sequence select='string(current-merge-group())'/></xsl:merge-action></xsl:merge>"""
SOURCE = "<xsl:source-document href='FOLDER/secret.xml'><xsl:sequence select='string(.)'/></xsl:source-document>"
ENTITY = "&lt;!DOCTYPE a [&lt;!ENTITY e SYSTEM &quot;FOLDER/secret.txt&quot;&gt;]&gt;&lt;a&gt;&amp;e;&lt;/a&gt;"
TRANSFORM = "transform(map{'stylesheet-location': 'FOLDER/inner.xsl', 'source-node': parse-xml('&lt;a/>')})?output"
# FOLDER is a directory with secret.xml, secret.txt, secret.json and inner.xsl in it.
ATTACKS = {
    "doc": asks("doc('FOLDER/secret.xml')"),
    "document": asks("document('FOLDER/secret.xml')"),
    "unparsed-text": asks("unparsed-text('FOLDER/secret.txt')"),
    "unparsed-text-lines": asks("unparsed-text-lines('FOLDER/secret.txt')"),
    "json-doc": asks("json-doc('FOLDER/secret.json')?*"),
    "uri-collection": asks("uri-collection('FOLDER')"),
    "collection": asks("collection('FOLDER?select=*.xml')"),
    "environment-variable": asks("environment-variable('JUDGE_TEST_SECRET')"),
    "available-environment-variables": asks(f"available-environment-variables()[. = 'JUDGE_TEST_SECRET'] ! '{SECRET}'"),
    "function-lookup": asks("function-lookup(xs:QName('fn:doc'), 1)('FOLDER/secret.xml')"),
    "transform": asks(TRANSFORM),
    "parse-xml entity": asks(f"parse-xml('{ENTITY}')"),
    "evaluate": sheet(f"<xsl:evaluate xpath=\"'&quot;{SECRET}&quot;'\"/>"),
    "include": sheet(VARIABLE, "<xsl:include href='FOLDER/inner.xsl'/>"),
    "import": sheet(VARIABLE, "<xsl:import href='FOLDER/inner.xsl'/>"),
    "source-document": sheet(SOURCE),
    "merge": sheet(MERGE),
    "stylesheet entity": "<!DOCTYPE x [<!ENTITY e SYSTEM 'FOLDER/secret.txt'>]>"
    + sheet("<xsl:sequence><xsl:value-of>&e;</xsl:value-of></xsl:sequence>"),
}
DOCUMENTS = {
    "external entity": "<!DOCTYPE a [<!ENTITY e SYSTEM 'FOLDER/secret.txt'>]><a>&e;</a>",
    "external subset": "<!DOCTYPE a SYSTEM 'FOLDER/secret.dtd'><a>&e;</a>",
    "parameter entity": "<!DOCTYPE a [<!ENTITY % p SYSTEM 'FOLDER/secret.dtd'> %p;]><a>&e;</a>",
    "internal entity": f"<!DOCTYPE a [<!ENTITY e '{SECRET}'>]><a>&e;</a>",
    "default attribute": f"<!DOCTYPE a [<!ATTLIST a b CDATA '{SECRET}'>]><a/>",
}
READ = asks("/a, /a/@b")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "secret.xml").write_text(f"<a>{SECRET}</a>")
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "secret.json").write_text(json.dumps({"a": SECRET}))
    (tmp_path / "secret.dtd").write_text(f"<!ENTITY e '{SECRET}'>")
    (tmp_path / "inner.xsl").write_text(
        f'<xsl:stylesheet version="3.0" xmlns:xsl="{XSL}"><xsl:variable name="s" select="\'{SECRET}\'"/>'
        f'<xsl:template match="/"><o>{SECRET}</o></xsl:template></xsl:stylesheet>'
    )
    monkeypatch.setenv("JUDGE_TEST_SECRET", SECRET)
    return tmp_path


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.kill()


def attacked(worker: Worker, stylesheet: str, document: str = "<a/>") -> str:
    """Return everything that the worker answers to an attack, complaints included."""
    answers = [
        worker.ask({"do": "instance", "uri": "file:///data.xml", "is_whole": True}, document.encode()),
        worker.ask({"do": "compile", "sheet": "s"}, stylesheet.encode()),
    ]
    if not any("problem" in answer for answer in answers):
        answers.append(worker.ask({"do": "run", "sheet": "s", "namespace": JUDGE, "parameters": {}}))
    return json.dumps(answers)


@pytest.mark.parametrize("door", ATTACKS)
def test_a_stylesheet_meets_a_shut_door(worker: Worker, folder: Path, door: str) -> None:
    said = attacked(worker, ATTACKS[door].replace("FOLDER", folder.as_uri()))
    assert SECRET not in said
    assert "secret.xml" not in said or "prohibited" in said or "disallowed" in said, said


@pytest.mark.parametrize("door", DOCUMENTS)
def test_a_document_meets_a_shut_door(worker: Worker, folder: Path, door: str) -> None:
    said = attacked(worker, READ, DOCUMENTS[door].replace("FOLDER", folder.as_uri()))
    assert SECRET not in said
    assert "DOCTYPE is disallowed" in said


OPEN = """
import json, sys
from saxonche import PySaxonProcessor
attacks, documents, read = json.load(sys.stdin)
through = []
tried = [(n, a, "<a/>") for n, a in attacks.items()] + [(n, read, d) for n, d in documents.items()]
for name, sheet, document in tried:
    processor = PySaxonProcessor(license=False)
    compiler = processor.new_xslt30_processor()
    try:
        executable = compiler.compile_stylesheet(stylesheet_text=sheet)
        executable.set_global_context_item(xdm_item=processor.parse_xml(xml_text=document))
        if "secret" in str(executable.call_template_returning_value("{%s}main")):
            through.append(name)
    except Exception:
        pass
print(json.dumps(through))
"""


def test_the_same_attacks_succeed_where_the_doors_are_open(folder: Path) -> None:
    attacks = {name: text.replace("FOLDER", folder.as_uri()) for name, text in ATTACKS.items()}
    documents = {name: text.replace("FOLDER", folder.as_uri()) for name, text in DOCUMENTS.items()}
    done = subprocess.run(
        [sys.executable, "-c", OPEN % JUDGE],
        input=json.dumps([attacks, documents, READ]),
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(json.loads(done.stdout)) == set(ATTACKS) | set(DOCUMENTS)


def test_nothing_can_be_written(worker: Worker, folder: Path) -> None:
    target = folder / "written.xml"
    write = f'<xsl:result-document href="{target.as_uri()}"><a/></xsl:result-document>'
    assert "disabled" in attacked(worker, sheet(write))
    inner = sheet("").replace("</xsl:stylesheet>", f'<xsl:template match="/">{write}</xsl:template></xsl:stylesheet>')
    inner = inner.replace("<", "&lt;").replace('"', "&quot;")
    attacked(worker, asks(f"transform(map{{'stylesheet-text': '{inner}', 'source-node': /}})?output"))
    assert not target.exists()


def test_no_java_is_called(worker: Worker) -> None:
    assert "disabled" in attacked(worker, asks("Q{java:java.lang.System}getenv('PATH')"))


def test_no_connection_is_made(worker: Worker) -> None:
    """A connection is in the server's queue as soon as it is made, so that nobody has to wait for one."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x.xml"
        for call in (f"doc('{url}')", f"unparsed-text('{url}')", f"json-doc('{url}')"):
            attacked(worker, asks(call))
        with pytest.raises(BlockingIOError):
            server.accept()
        with socket.create_connection(server.getsockname()):
            server.accept()[0].close()  # one that is made is seen


@pytest.mark.parametrize(
    "name", ["collection", "uri-collection", "environment-variable", "available-environment-variables"]
)
def test_functions_that_look_around_are_refused_by_name(desk: Desk, name: str) -> None:
    with pytest.raises(ResourceRefusedError, match=rf"rules\.sch:1: {name}\(\) is not allowed in rules"):
        desk.judge(f'<pattern><rule context="a"><assert id="a" test="{name}(\'x\')">x</assert></rule></pattern>')


@pytest.mark.parametrize("name", ["result-document", "evaluate", "source-document"])
def test_instructions_that_read_or_write_are_refused_by_name(desk: Desk, name: str) -> None:
    rules = f"""<ns prefix="f" uri="urn:f"/><xsl:function name="f:f" xmlns:f="urn:f"><xsl:{name} href="x" xpath="1"/>
      </xsl:function><pattern><rule context="a"><assert id="a" test="f:f()">x</assert></rule></pattern>"""
    with pytest.raises(ResourceRefusedError, match=f"xsl:{name} is not allowed in rules"):
        desk.judge(rules)


@pytest.mark.parametrize("name", ["include", "import"])
def test_a_stylesheet_cannot_be_brought_in(desk: Desk, name: str) -> None:
    with pytest.raises((ResourceRefusedError, RulesError), match=f"xsl:{name}"):
        desk.judge(
            f'<xsl:{name} href="x.xsl"/><pattern><rule context="a"><assert id="a" test="1">x</assert></rule></pattern>'
        )


def test_entity_bombs_and_gzip_are_refused_as_data(desk: Desk) -> None:
    import gzip

    judge = desk.judge('<pattern><rule context="a"><assert id="a" test="1">x</assert></rule></pattern>')
    entities = "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>" for n in range(1, 10))
    for data in (f"<!DOCTYPE a [<!ENTITY e0 'x'>{entities}]><a>&e9;</a>".encode(), gzip.compress(b"<a/>")):
        with pytest.raises(DataError):
            judge.judge_file(desk.write("data/data.xml", data))


def test_a_module_in_the_current_directory_is_not_taken_for_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "saxonche.py").write_text("raise SystemExit('taken over')")
    (tmp_path / "json.py").write_text("raise SystemExit('taken over')")
    monkeypatch.chdir(tmp_path)
    worker = Worker()
    assert worker.ask({"do": "forget"}) == {}
    worker.kill()


@pytest.mark.usefixtures("own_saxon")
def test_the_worker_ends_with_its_judge_and_leaves_no_zombie(desk: Desk) -> None:
    judge = desk.judge('<pattern><rule context="a"><assert id="a" test="1">x</assert></rule></pattern>')
    bench = judge._own._bench
    assert bench is not None
    process = bench._worker._process
    judge.close()
    assert process.returncode is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


@pytest.mark.usefixtures("own_saxon")
def test_the_worker_ends_with_rules_that_cannot_be_compiled(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not wait until nobody holds the error any more."""
    started: list[Worker] = []
    monkeypatch.setattr("constraint_sdc.judge.worker.bench.Worker", lambda: started.append(Worker()) or started[-1])
    with pytest.raises(RulesError) as caught:
        desk.judge('<pattern><rule context="a"><assert id="a" test="1 +">x</assert></rule></pattern>')
    assert [worker.is_alive for worker in started] == [False], caught.value


def test_the_worker_imports_nothing_heavy() -> None:
    heavy = ("pandas", "numpy", "lxml", "pyarrow")
    code = f"import sys, constraint_sdc.judge.worker.worker; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_parent_never_loads_saxon() -> None:
    code = "import sys, constraint_sdc.judge.judge; print('saxonche' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
