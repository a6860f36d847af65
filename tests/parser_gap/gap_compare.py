"""One file, read in every way that we have: the reader, Saxon, expat and lxml, and both engines' verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

from lxml import etree

from constraint_sdc.commands.check import CheckOptions, check_rules, judges_of
from constraint_sdc.errors import ConstraintSdcError, DataError, NotRowsError
from constraint_sdc.files.microdata.microdata import open_microdata
from constraint_sdc.judge.judge import Judges, SaxonProcess
from constraint_sdc.judge.rule_set import RuleSet, load_rules

Cells = dict[str, str]
HEAD = (
    '<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">'
    '<ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>'
)
# Code points, because messages have their white space normalised.
_POINTS = "string-join(for $p in string-to-codepoints({}) return string($p), ' ')"
_NAME = "concat(if (self::attribute()) then '@' else '', '{', namespace-uri(.), '}', local-name(.))"
DUMP = (
    HEAD
    + "".join(
        f'<pattern><rule context="*[local-name() = \'R\'][parent::*]/{step}"><report test="true()">'
        f'<value-of select="{_POINTS.format(_NAME)}"/>|<value-of select="{_POINTS.format("string(.)")}"/>'
        "</report></rule></pattern>"
        for step in ("*", "@*")
    )
    + "</schema>"
)
# On a record where one of these raises an error, Saxon judges all rules of the file: they stand apart from the others.
_RAISING = (
    "V1 &lt; 6",
    "xs:double(V1) &lt; 6",
    "xs:decimal(V2) &lt; 6",
    "xs:integer(V3) &lt; 6",
    "V1 + V2 &lt; 10",
    "sum((V1, V2)) &lt;= 20",
    "xs:boolean(V1)",
)
_CASTABLE = "if ({0} castable as {1}) then {1}({0}) &lt; 6 else {0} = '5'"
_CERTAIN = (
    "number(V1) &lt; 6",
    "not(number(V2) &gt;= 0)",
    "V1 = V2",
    "V1 = '5'",
    "string-length(V1) &lt;= 2",
    "V1 castable as xs:double",
    "V1 castable as xs:decimal",
    "V1 castable as xs:integer",
    "V1 castable as xs:date",
    "V1 castable as xs:boolean",
    "V1 castable as xs:int",
    _CASTABLE.format("V1", "xs:double"),
    _CASTABLE.format("V2", "xs:decimal"),
    _CASTABLE.format("V3", "xs:integer"),
    "normalize-space(V1) = V1",
    "matches(V1, '^\\s*[0-9]+\\s*$')",
    "contains(V2, '5')",
    "@id = '0'",
    "number(@V1) &lt; 6",
    "number(V3) = (5, 12, 1000)",
    "translate(V1, ' ', '') != ''",
    "exists(V3) and V3 != ''",
    "V1 = ('é', 'a', '-INF')",
    "starts-with(V1, '\\') or string-length(V2) != 1",
    "number(V1) = number(V2)",
    "abs(number(V1)) &lt; number('INF')",
)
_OLD = ("V1 &lt; 6", "number(V2) &gt; 0", "V1 = 5", "V1 + V2 &gt; 1", "sum(V1) = 5", "V2 = V3", "round(V1) = 5")


def _rules(tests: tuple[str, ...], binding: str = "xslt2") -> str:
    asserts = "".join(f'<assert test="{test}">no</assert>' for test in tests)
    on_variable = '<rule context="R/V2"><assert test="number(.) &lt; 6">big</assert></rule>'
    head = HEAD.replace("xslt2", binding)
    return f'{head}<pattern><rule context="R">{asserts}</rule></pattern><pattern>{on_variable}</pattern></schema>'


RULES = (_rules(_CERTAIN), _rules(_OLD, "xslt"), *(_rules((test,)) for test in _RAISING))
_ALWAYS = 1  # the first rules judge every file, the others only one of numbers


@dataclass(frozen=True)
class Compared:
    """What became of a file: `read`, `refused`, or `difference` with what differs."""

    outcome: str
    detail: str = ""


class GapBench:
    """One Saxon process and the rules, for all files."""

    def __init__(self, folder: Path, saxon: SaxonProcess) -> None:
        self.path = folder / "data.xml"
        self._files = 0
        dump = folder / "dump.sch"
        dump.write_text(DUMP, encoding="utf-8")
        self._dump = judges_of(load_rules(dump).schema, CheckOptions(max_examples=None), saxon)
        self._record = "R"
        self._rules: list[tuple[RuleSet, dict[str, tuple[CheckOptions, Judges]]]] = []
        for number, text in enumerate(RULES):
            rules = folder / f"rules{number}.sch"
            rules.write_text(text, encoding="utf-8")
            rule_set = load_rules(rules)
            engines = {}
            for engine in ("auto", "saxon"):
                options = CheckOptions(engine="saxon" if engine == "saxon" else "auto", max_examples=None)
                engines[engine] = options, judges_of(rule_set.schema, options, saxon)
            self._rules.append((rule_set, engines))

    def write(self, data: bytes) -> None:
        """Write the next file under a name of its own: a file that changes under its name is refused."""
        self._files += 1
        self.path = self.path.with_name(f"data{self._files}.xml")
        self.path.write_bytes(data)

    def compare(self, data: bytes, *, raising: bool = False) -> Compared:
        """Read the file in every way, and judge it with both engines; `raising` adds rules that raise errors."""
        self.write(data)
        read = self._read()
        is_refused = isinstance(read, str) and read.startswith("refused")
        found = [
            *self._against_saxon(read),
            *self._verdicts(None if raising else _ALWAYS, is_refused),
            *against_oracles(read, data),
        ]
        if found:
            return Compared("difference", "; ".join(found))
        return Compared("refused" if is_refused else "read")

    def judge(self) -> None:
        """Let Saxon read the file that was written last."""
        self._dump.of_all("R").judge_file(self.path)

    def _read(self) -> list[Cells] | str:
        try:
            microdata = open_microdata(self.path, record="R")
            self._record = microdata.layout.record
            rows: list[Cells] = []
            for chunk in microdata.chunks():
                new: list[Cells] = [{} for _ in range(len(chunk))]
                for name, column in chunk.columns.items():
                    for row, text in enumerate(column.texts()):
                        if text is not None:
                            new[row][_clark(name)] = text
                rows += new
        except NotRowsError:
            return "not rows"
        except DataError as error:
            return f"refused: {error.what}"
        return rows

    def _against_saxon(self, read: list[Cells] | str) -> Iterator[str]:
        try:
            report = self._dump.of_all(self._record).judge_file(self.path)
        except DataError as error:
            if isinstance(read, str) and read.startswith("refused"):
                if "is not read" in read and read != f"refused: {error.what}":
                    yield f"other words: {read} / {error.what}"
            elif read != "not rows":
                yield f"the reader reads, Saxon refuses: {error.what}"
            return
        if isinstance(read, str):
            return  # the reader goes first in every command: what it refuses is refused, as the verdicts show
        rows: dict[int, Cells] = {}
        for finding in report.findings:
            name, _, text = finding.text.partition("|")
            if finding.record is not None:
                rows.setdefault(finding.record, {})[_letters(name)] = _letters(text)
        if [rows.get(number + 1, {}) for number in range(len(read))] != read or max(rows, default=0) > len(read):
            yield f"cells differ: {_first_difference(read, rows)}"

    def _verdicts(self, count: int | None, is_refused: bool) -> Iterator[str]:
        for rule_set, engines in self._rules[:count]:
            verdicts: dict[str, list[tuple[object, ...]]] = {}
            for engine, (options, judges) in engines.items():
                try:
                    result = check_rules(self.path, rule_set, options, judges)
                    verdicts[engine] = [
                        (r.rule, r.fired, r.failed, r.errors, str(r.status), [v.record for v in r.violations])
                        for r in result.results
                    ]
                except ConstraintSdcError as error:
                    verdicts[engine] = [(type(error).__name__,)]
            if is_refused != (verdicts["auto"] == [("DataError",)]):
                yield f"the reader refuses: {is_refused}; check: {verdicts['auto'][:1]}"
            if verdicts["auto"] != verdicts["saxon"]:
                pairs = zip(verdicts["auto"], verdicts["saxon"], strict=False)
                first = next((pair for pair in pairs if pair[0] != pair[1]), verdicts)
                yield f"verdicts differ: {first}"


def _clark(name: str) -> str:
    at, bare = ("@", name[1:]) if name.startswith("@") else ("", name)
    return at + (bare if bare.startswith("{") else "{}" + bare)


def _letters(points: str) -> str:
    return "".join(chr(int(point)) for point in points.split())


def _first_difference(read: list[Cells], rows: dict[int, Cells]) -> str:
    for number, cells in enumerate(read):
        other = rows.get(number + 1, {})
        for name in sorted(cells.keys() | other.keys()):
            if cells.get(name) != other.get(name):
                return f"record {number + 1}, {name[:50]!a}: {cells.get(name)!a:.80} / {other.get(name)!a:.80}"
    return f"{len(read)} / {max(rows, default=0)} records"


# Two parsers of other hands, on the bytes of the file themselves.


def against_oracles(read: list[Cells] | str, data: bytes) -> Iterator[str]:
    """Yield where another parser reads other cells, or refuses what the reader read; both know fewer encodings."""
    if isinstance(read, str):
        return
    for name, rows in (("expat", by_expat(data)), ("lxml", by_lxml(data))):
        if rows is not None and rows != read:
            yield f"{name} reads other cells" if isinstance(rows, list) else f"{name} refuses: {rows}"


def by_expat(data: bytes) -> list[Cells] | str | None:
    """Return the cells as expat reads them, its refusal, or None where it does not know the encoding."""
    parser = expat.ParserCreate(namespace_separator="}")
    rows: list[Cells] = []
    open_: list[str] = []
    first: list[str] = []  # the record's name, as soon as it is known

    def start(name: str, attributes: dict[str, str]) -> None:
        open_.append(name)
        if len(open_) > 1 and is_record(name):
            rows.append({"@" + _expat_name(n): text for n, text in attributes.items()})
        elif _is_cell():
            rows[-1][_expat_name(name)] = ""

    def is_record(name: str) -> bool:
        if not first and name.rpartition("}")[2] == "R":
            first.append(name)
        return name in first

    def _is_cell() -> bool:
        return len(open_) > 2 and open_[-2] in first

    def text(text: str) -> None:
        if open_ and _is_cell():
            rows[-1][_expat_name(open_[-1])] += text

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_.pop()
    parser.CharacterDataHandler = text
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        unknown = (
            error.code == expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING] or b"utf8" in data[:60].lower()
        )
        foreign = data.startswith((b"\x00\x00", b"\xff\xfe\x00\x00", b"<\x00\x00\x00"))
        return None if unknown or foreign else str(error)
    except (LookupError, ValueError):
        return None
    return rows


def _expat_name(name: str) -> str:
    return "{" + name if "}" in name else "{}" + name


def by_lxml(data: bytes) -> list[Cells] | str | None:
    """Return the cells as a walk through lxml's tree finds them; None where libxml2 does not read the bytes."""
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except (etree.XMLSyntaxError, LookupError):
        return None
    rows = []
    named = [element for element in root.iter("{*}R") if element is not root]
    for record in named:
        if record.tag == named[0].tag:
            row = {"@" + _clark(str(name)): str(text) for name, text in record.attrib.items()}
            for child in record.iterchildren("*"):
                row[_clark(str(child.tag))] = str(child.xpath("string(.)"))
            rows.append(row)
    return rows


@contextmanager
def gap_bench(folder: Path) -> Iterator[GapBench]:
    """Yield a bench whose Saxon process ends with it."""
    with SaxonProcess() as saxon:
        yield GapBench(folder, saxon)
