"""SDMX-ML: every kind of message gives the same rows, and a copy differs in masked cells alone, wherever blocks end."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from lxml import etree

from constraint_sdc.data.table import Column, column_of
from constraint_sdc.errors import DataError
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.tables.registry import table_format
from constraint_sdc.files.tables.sdmx import text
from constraint_sdc.files.tables.sdmx.masked_message import message_skeleton, write_masked_message
from constraint_sdc.files.tables.table_format import TableChange
from tests.files.tables.message_oracle import walked
from tests.sdmx_messages import KEY, MESSAGES, NAMES, Row, generic, rows, specific

_KINDS = list(MESSAGES)


def _message(folder: Path, content: str, encoding: str = "utf-8") -> Path:
    path = folder / "data.xml"
    path.write_bytes(content.encode(encoding))
    return path


def _texts(path: Path) -> list[dict[str, str]]:
    table = read_dataset(path).table
    columns = {name: column.texts() for name, column in table.columns.items()}
    return [
        {name: text for name, texts in columns.items() if (text := texts[row]) is not None}
        for row in range(table.records)
    ]


def _columns(values: dict[str, Sequence[str | None]]) -> dict[str, Column]:
    return {name: column_of(name, texts) for name, texts in values.items()}


@pytest.fixture(params=[23, 61, 1 << 20])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let messages come in blocks of a few bytes, which end anywhere."""
    monkeypatch.setattr(text, "BLOCK", request.param)


@pytest.mark.parametrize("kind", _KINDS)
def test_every_kind_of_message_has_the_same_rows(kind: str, tmp_path: Path) -> None:
    path = _message(tmp_path, MESSAGES[kind](rows()))
    assert table_format(path) is not None
    assert _texts(path) == walked(path) == rows()


@pytest.mark.parametrize("kind", _KINDS)
def test_records_have_the_lines_of_their_observations(kind: str, tmp_path: Path) -> None:
    path = _message(tmp_path, MESSAGES[kind](rows()))
    nodes = list(etree.parse(path).iter("{*}Obs"))
    lines = [int(line) for chunk in read_dataset(path).microdata.chunks() for line in chunk.lines]
    assert lines == [node.sourceline for node in nodes]


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("kind", _KINDS)
def test_a_copy_without_a_change_is_the_same_file(kind: str, tmp_path: Path) -> None:
    remarks = "<!-- a > b --><?go on?>"
    content = MESSAGES[kind](rows()).replace("\n", "\r\n").replace("<Obs ", f"{remarks}<Obs ", 3)
    path, target = _message(tmp_path, content), tmp_path / "masked.xml"
    copied = write_masked_message(path, target, TableChange({}))
    assert target.read_bytes() == path.read_bytes()
    assert copied == message_skeleton(target, TableChange({}))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "iso-8859-1"])
def test_encodings_stay_and_new_values_are_written_in_them(encoding: str, tmp_path: Path) -> None:
    name = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16"}.get(encoding, "ISO-8859-1")
    content = specific(rows()).replace("UTF-8", name).replace('OBS_STATUS="A"', 'OBS_STATUS="Ä"')
    path, target = _message(tmp_path, content, encoding), tmp_path / "masked.xml"
    write_masked_message(path, target, TableChange({}))
    assert target.read_bytes() == path.read_bytes()
    new = ["Ö" for _ in rows()]
    write_masked_message(path, target, TableChange(_columns({"OBS_STATUS": new})))
    assert [row["OBS_STATUS"] for row in walked(target)] == new
    assert target.read_bytes().decode(encoding).replace('"Ö"', '"Ä"') == content.replace('"E"', '"Ä"')


def test_an_encoding_that_cannot_hold_a_new_value_is_named(tmp_path: Path) -> None:
    path = _message(tmp_path, specific(rows()).replace("UTF-8", "ISO-8859-1"), "iso-8859-1")
    change = TableChange(_columns({"OBS_STATUS": ["€" for _ in rows()]}))
    with pytest.raises(DataError, match=r"encoding iso8859-1 cannot hold the character U\+20AC"):
        write_masked_message(path, tmp_path / "masked.xml", change)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_a_copy_has_the_new_values_and_nothing_else_changes(kind: str, seed: int, tmp_path: Path) -> None:
    draw, found = random.Random(seed), rows()
    path, target = _message(tmp_path, MESSAGES[kind](found)), tmp_path / "masked.xml"
    texts = ["1", "-2.5", "nan", "a&b", 'say "so"', "it's", "<x>", "Ö€", "two\nlines", "a\tb", " pad "]
    masked = draw.sample(["OBS_VALUE", "WAGES", "OBS_STATUS"], 2)
    removed = frozenset(draw.sample(["FIRM", "OTHER"], seed % 3))
    values = {name: [draw.choice(texts) for _ in found] for name in masked}
    change = TableChange(_columns(dict(values)), removed)
    copied = write_masked_message(path, target, change)
    expected: list[Row] = []
    for at, row in enumerate(found):
        new = {**row, **{name: values[name][at] for name in masked}}
        expected.append({name: value for name, value in new.items() if name not in removed})
    assert walked(target) == expected == _texts(target)
    assert message_skeleton(target, change).skeleton == copied.skeleton
    spoilt = target.read_bytes().replace(b"CH", b"DE", 1)
    target.write_bytes(spoilt)
    assert message_skeleton(target, change).skeleton != copied.skeleton


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("by_series", [False, True])
def test_a_value_comes_into_an_observation_and_leaves_it(by_series: bool, tmp_path: Path) -> None:
    found = rows()
    for row in found[::3]:
        del row["OBS_STATUS"]
    path, target = _message(tmp_path, specific(found, by_series=by_series)), tmp_path / "masked.xml"
    values = [None if at % 2 else "" if at % 4 else "M" for at, _ in enumerate(found)]
    change = TableChange(_columns({"OBS_STATUS": values}))
    copied = write_masked_message(path, target, change)
    assert [row.get("OBS_STATUS") for row in walked(target)] == values
    assert message_skeleton(target, change).skeleton == copied.skeleton


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("kind", _KINDS)
def test_an_observed_value_that_is_nan_is_no_value_and_stays(kind: str, tmp_path: Path) -> None:
    found = rows()
    for row in found[::3]:
        row["OBS_VALUE"] = "NaN"
    path, target = _message(tmp_path, MESSAGES[kind](found)), tmp_path / "masked.xml"
    column = read_dataset(path).table.columns["OBS_VALUE"]
    assert [text is None for text in column.texts()] == [row["OBS_VALUE"] == "NaN" for row in found]
    new = [None if row["OBS_VALUE"] == "NaN" else "7" for row in found]
    change = TableChange(_columns({"OBS_VALUE": new}))
    copied = write_masked_message(path, target, change)
    assert [row["OBS_VALUE"] for row in walked(target)] == [text or "NaN" for text in new]
    assert message_skeleton(target, change).skeleton == copied.skeleton
    write_masked_message(path, target, TableChange(_columns({"OBS_VALUE": ["8" for _ in found]})))
    assert {row["OBS_VALUE"] for row in walked(target)} == {"8"}


def test_in_a_generic_message_no_value_comes_or_leaves(tmp_path: Path) -> None:
    path = _message(tmp_path, generic(rows()))
    change = TableChange(_columns({"OBS_STATUS": [None, *("A" for _ in rows()[1:])]}))
    with pytest.raises(DataError, match="would come into an observation, or leave it") as refusal:
        write_masked_message(path, tmp_path / "masked.xml", change)
    assert refusal.value.line == 11


# Series, groups and the header.


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("kind", ["by series", "compact", "generic by series", "generic of 2.0"])
def test_a_variable_of_the_series_is_written_once_or_refused(kind: str, tmp_path: Path) -> None:
    path, target = _message(tmp_path, MESSAGES[kind](rows())), tmp_path / "masked.xml"
    new = [f"R{at // 2}" for at, _ in enumerate(rows())]
    change = TableChange(_columns({"REF_AREA": new}))
    copied = write_masked_message(path, target, change)
    assert [row["REF_AREA"] for row in walked(target)] == new
    assert message_skeleton(target, change).skeleton == copied.skeleton
    other = TableChange(_columns({"REF_AREA": ["R", *new[1:]]}))
    with pytest.raises(DataError, match="REF_AREA stands in the series once, and its observations would get different"):
        write_masked_message(path, target, other)


@pytest.mark.parametrize("lacking", [0, 1])
def test_a_variable_of_some_series_comes_into_no_observation_of_another(lacking: int, tmp_path: Path) -> None:
    lines = specific(rows(2), by_series=True).splitlines(keepends=True)
    series = [at for at, line in enumerate(lines) if "<Series" in line]
    at = series[lacking]
    lines[at] = lines[at].replace(' REF_AREA="AT"', "").replace(' REF_AREA="CH"', "")
    path = _message(tmp_path, "".join(lines))
    with pytest.raises(DataError, match="REF_AREA stands in series, and would come into observations of a series"):
        write_masked_message(path, tmp_path / "masked.xml", TableChange(_columns({"REF_AREA": ["X"] * 4})))


_GROUP = '    <Group REF_AREA="AT" TITLE="Austria"/>\n    <Group REF_AREA="CH" TITLE="Switzerland"/>\n'
_AT = "/Microdata/FileMetadata/DataSet/Group"


@pytest.mark.usefixtures("block")
def test_a_group_that_names_a_masked_variable_is_refused_or_taken_out(tmp_path: Path) -> None:
    path, target = _message(tmp_path, specific(rows(), group=_GROUP)), tmp_path / "masked.xml"
    around = {one.path: one.count for one in read_dataset(path).surroundings.found}
    assert {_AT: 2, f"{_AT}/@REF_AREA": 2, f"{_AT}/@TITLE": 2}.items() <= around.items()
    for change in (
        TableChange(_columns({"REF_AREA": ["X" for _ in rows()]})),
        TableChange({}, frozenset({"REF_AREA"})),
    ):
        says = "DataSet/Group names REF_AREA too, which reveals its values before masking"
        with pytest.raises(DataError, match=says):
            write_masked_message(path, target, change)
        out = frozenset({_AT, f"{_AT}/@REF_AREA", f"{_AT}/@TITLE"})
        copied = write_masked_message(path, target, TableChange(change.columns, change.removed, out))
        assert b"Group" not in target.read_bytes()
        assert message_skeleton(target, change).skeleton == copied.skeleton
    kept = TableChange({}, taken_out=frozenset({f"{_AT}/@TITLE"}))
    write_masked_message(path, target, kept)
    assert target.read_bytes() == path.read_bytes().replace(b' TITLE="Austria"', b"").replace(
        b' TITLE="Switzerland"', b""
    )


@pytest.mark.usefixtures("block")
def test_the_header_is_decided_on_part_by_part(tmp_path: Path) -> None:
    contact = "<mes:Contact><com:Name>Eve</com:Name></mes:Contact>"
    sender = f"<mes:Sender id='STAT'><com:Name>Office</com:Name>{contact}</mes:Sender>"
    content = specific(rows()).replace("<mes:Sender id='STAT'/>", sender)
    path, target = _message(tmp_path, content), tmp_path / "masked.xml"
    header = "/Microdata/FileMetadata/Header"
    found = [one.path for one in read_dataset(path).surroundings.found]
    assert found == [
        f"{header}/ID",
        f"{header}/Prepared",
        f"{header}/Sender/@id",
        f"{header}/Sender/Contact/Name",
        f"{header}/Sender/Name",
        "/Microdata/Structure",
    ]
    write_masked_message(path, target, TableChange({}, taken_out=frozenset({f"{header}/Sender/Contact/Name"})))
    assert target.read_text() == content.replace(contact, "")
    for demanded in (f"{header}/ID", "/Microdata/Structure"):
        with pytest.raises(DataError, match="cannot be removed: no reader of SDMX takes a message without it"):
            write_masked_message(path, target, TableChange({}, taken_out=frozenset({demanded})))


@pytest.mark.usefixtures("block")
def test_comments_are_counted_and_left_out(tmp_path: Path) -> None:
    content = specific(rows()).replace("<Obs ", "<!-- one --><Obs ", 1)
    content = content.replace('OBS_STATUS="A"/>', 'OBS_STATUS="A"><!-- two --><?three?></Obs>', 1)
    path, target = _message(tmp_path, content), tmp_path / "masked.xml"
    found = {one.path: one.count for one in read_dataset(path).surroundings.found if "/" not in one.path}
    assert found == {"comments": 1, "comments in records": 1, "processing instructions in records": 1}
    copied = write_masked_message(path, target, TableChange({}, taken_out=frozenset(found)))
    left = content.replace("<!-- one -->", "").replace("<!-- two --><?three?>", "")
    assert target.read_text() == left
    assert message_skeleton(target, TableChange({})).skeleton == copied.skeleton


def test_a_value_that_is_no_reference_is_not_taken_for_structure(tmp_path: Path) -> None:
    content = specific(rows()).replace("namespace='urn:x'", "namespace='Anna B., 3 May'")
    found = [one.path for one in read_dataset(_message(tmp_path, content)).surroundings.found]
    assert "/Microdata/FileMetadata/Header/Structure/@namespace" in found


def test_dates_of_the_data_set_are_decided_on(tmp_path: Path) -> None:
    content = specific(rows()).replace("<mes:DataSet ", "<mes:DataSet validFrom='2020 or so' ")
    path, target = _message(tmp_path, content), tmp_path / "masked.xml"
    at = "/Microdata/FileMetadata/DataSet/validFrom"
    assert at in [one.path for one in read_dataset(path).surroundings.found]
    write_masked_message(path, target, TableChange({}, taken_out=frozenset({at})))
    assert target.read_text() == specific(rows())


# What is refused.

_FLAT, _SERIES, _GENERIC = specific(rows()), specific(rows(), by_series=True), generic(rows(), by_series=True)
_REFUSED = {
    "cut off": (_FLAT[:2000], "not well-formed XML.*cut off"),
    "a document type": (_FLAT.replace("<mes:D", "<!DOCTYPE x><mes:D"), "not well-formed"),
    "an entity": (_FLAT.replace('"AT"', '"&at;"'), "not well-formed XML: undefined entity.*write the text itself"),
    "an order to delete": (_FLAT.replace("'Append'", "'Delete'"), "the action of the message is Delete"),
    "a second data set": (_FLAT.replace("</mes:DataSet>", "</mes:DataSet><mes:DataSet/>"), "a second data set"),
    "an empty series": (_SERIES.replace("<Series", "<Series X='1'/><Series", 1), "a series without observations"),
    "several values": (_FLAT.replace('"E"/>', '"E"><Comp id="X"/></Obs>'), "Comp inside a series or an observation"),
    "a data structure": (_FLAT.replace("StructureSpecificData", "Structure"), "of the kind Structure, which is not"),
    "cross-sections": (_FLAT.replace("StructureSpecificData", "CrossSectionalData"), "CrossSectionalData, which is"),
    "no observation": (_FLAT[: _FLAT.index("    <Obs")] + "</mes:DataSet></mes:StructureSpecificData>", "no observ"),
    "a variable twice": (_SERIES.replace("<Obs ", '<Obs FREQ="A" ', 1), "FREQ is in the observation twice"),
    "a foreign attribute": (_FLAT.replace("<Obs ", '<Obs ss:x="1" ', 1), "the attribute x of Obs has a namespace"),
    "two types": (
        _FLAT.replace("<Obs ", "<Obs xsi:type='a' ", 1).replace("<Obs F", "<Obs xsi:type='b' F", 1),
        "several types",
    ),
    "the name of rows": (_FLAT.replace("FREQ=", "Record="), "cannot have the name 'Record'"),
    "text": (_FLAT.replace("<Obs ", "hello <Obs ", 1), "text inside DataSet"),
    "explicit measures": (_FLAT.replace(" namespace=", " explicitMeasures='true' namespace="), "explicit measures"),
    "a value without a name": (_GENERIC.replace("<g:Value id=", "<g:Value ix=", 1), "the attribute ix of Value"),
    "a name without a value": (_GENERIC.replace(' value="2020"', "", 1), "ObsDimension does not say which variable"),
    "an attribute of Obs": (
        _GENERIC.replace("<g:Obs>", '<g:Obs x="1">', 1),
        "the attribute x has no place in a generic",
    ),
    "an unknown element": (_GENERIC.replace("<g:ObsDimension ", "<g:Other ", 1), "Other inside a series"),
}


@pytest.mark.parametrize("case", _REFUSED)
def test_what_has_no_place_in_a_table_is_refused_with_its_line(case: str, tmp_path: Path) -> None:
    content, message = _REFUSED[case]
    path = _message(tmp_path, content)
    with pytest.raises(DataError, match=message) as refusal:
        _texts(path)
    assert refusal.value.hint
    assert refusal.value.line or "kind" in refusal.value.what


def test_a_document_type_is_refused_before_the_message_and_after_its_first_tag(tmp_path: Path) -> None:
    path = _message(tmp_path, _FLAT.replace("<mes:Structure", "<!DOCTYPE x [<!ENTITY a 'b'>]><mes:Structure", 1))
    with pytest.raises(DataError, match="DOCTYPE is not allowed"):
        _texts(path)


def test_key_variables_are_all_there() -> None:
    assert set(KEY) < set(NAMES)
