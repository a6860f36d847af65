"""A schema brings in files of its own directory tree and of allowed directories, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from constraint_sdc.errors import ResourceRefusedError
from constraint_sdc.schematron.confinement import Confinement
from constraint_sdc.schematron.load import load_schema

SCH = 'xmlns="http://purl.oclc.org/dsdl/schematron"'
PATTERN = f'<pattern {SCH}><rule context="a"><assert test="b"/></rule></pattern>'
Including = Callable[[str], Path]


@pytest.fixture
def including(tmp_path: Path) -> Including:
    """Make a schema in `rules/` that includes a reference; `shared/pattern.sch` lies beside that directory."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "pattern.sch").write_text(PATTERN)

    def make(href: str) -> Path:
        main = tmp_path / "rules" / "main.sch"
        main.write_text(f'<schema {SCH}>\n<include href="{href}"/></schema>')
        return main

    return make


def test_a_file_beside_the_directory_is_refused_with_the_way_out(including: Including, tmp_path: Path) -> None:
    main = including("../shared/pattern.sch")
    with pytest.raises(ResourceRefusedError) as caught:
        load_schema(main)
    assert caught.value.line == 2
    assert str(tmp_path / "shared" / "pattern.sch") in str(caught.value)
    assert f"--allow {tmp_path / 'shared'}" in str(caught.value)


def test_an_allowed_directory_is_read(including: Including, tmp_path: Path) -> None:
    main = including("../shared/pattern.sch")
    schema = load_schema(main, allowed=(tmp_path / "shared",))
    assert len(schema.assertions()) == 1
    assert schema.files == (str(main), str(tmp_path / "shared" / "pattern.sch"))


def test_an_absolute_path_and_a_file_uri_follow_the_same_rule(including: Including, tmp_path: Path) -> None:
    target = tmp_path / "shared" / "pattern.sch"
    for href in (str(target), target.as_uri()):
        with pytest.raises(ResourceRefusedError):
            load_schema(including(href))
        assert len(load_schema(including(href), allowed=(tmp_path / "shared",)).assertions()) == 1


def test_a_link_inside_the_directory_cannot_lead_out_of_it(including: Including, tmp_path: Path) -> None:
    main = including("link.sch")
    (tmp_path / "rules" / "link.sch").symlink_to(tmp_path / "shared" / "pattern.sch")
    with pytest.raises(ResourceRefusedError):
        load_schema(main)


def test_a_linked_directory_cannot_lead_out_either(including: Including, tmp_path: Path) -> None:
    main = including("more/pattern.sch")
    (tmp_path / "rules" / "more").symlink_to(tmp_path / "shared")
    with pytest.raises(ResourceRefusedError):
        load_schema(main)


def test_a_schema_reached_through_a_link_reads_beside_the_real_file(including: Including, tmp_path: Path) -> None:
    main = including("part.sch")
    (tmp_path / "rules" / "part.sch").write_text(PATTERN)
    (tmp_path / "link.sch").symlink_to(main)
    assert len(load_schema(tmp_path / "link.sch").assertions()) == 1


def test_a_directory_whose_name_only_begins_alike_is_outside(including: Including, tmp_path: Path) -> None:
    (tmp_path / "rules-private").mkdir()
    (tmp_path / "rules-private" / "pattern.sch").write_text(PATTERN)
    with pytest.raises(ResourceRefusedError):
        load_schema(including("../rules-private/pattern.sch"))


@pytest.mark.parametrize(
    "href",
    [
        "http://example.org/p.sch",
        "https://example.org/p.sch",
        "ftp://example.org/p.sch",
        "file://example.org/p.sch",
        "data:text/xml,%3Cpattern/%3E",
        "jar:file:x.jar!/p.sch",
        "//example.org/p.sch",
        "/etc/passwd",
        "%2e%2e/shared/pattern.sch",
        "sub/../../shared/pattern.sch",
    ],
)
def test_other_schemes_and_disguised_paths_are_refused(including: Including, href: str) -> None:
    with pytest.raises(ResourceRefusedError):
        load_schema(including(href))


def test_whether_an_outside_file_exists_is_not_told(including: Including) -> None:
    with pytest.raises(ResourceRefusedError):
        load_schema(including("../shared/nowhere.sch"))


def test_a_schema_may_include_a_part_of_itself(tmp_path: Path) -> None:
    main = tmp_path / "main.sch"
    main.write_text(
        f'<schema {SCH}><pattern id="p"><rule context="x"><include href="#a"/></rule></pattern>'
        '<pattern><rule context="y"><assert id="a" test="b"/></rule></pattern></schema>'
    )
    assert [a.id for a in load_schema(main).assertions()] == ["p/a", "rule-2/a"]


def test_xml_base_cannot_lead_out(tmp_path: Path, including: Including) -> None:
    main = including("pattern.sch")
    main.write_text(f'<schema {SCH} xml:base="{tmp_path}/shared/"><include href="pattern.sch"/></schema>')
    with pytest.raises(ResourceRefusedError):
        load_schema(main)


@pytest.mark.parametrize(
    "uri", ["http://localhost{}", "file://example.org{}", "file://{}%00", "file://example.org{}%00", "{}", "data:,{}"]
)
def test_a_rule_may_ask_for_files_of_this_machine_only(tmp_path: Path, uri: str) -> None:
    confinement = Confinement((tmp_path.resolve(),))
    path = (tmp_path / "codes.xml").resolve()
    assert confinement.permitted(f"file://{path}") == confinement.permitted(f"file://localhost{path}") == path
    with pytest.raises(ResourceRefusedError, match="rules may read only files"):
        confinement.permitted(uri.format(path))
