"""The inputs of the matrix: small files, the same every time, written without any code of the package.

`prepare("firms", folder)` writes the files of an input. Besides the functions below, `example:NAME` are the files of
examples/NAME with what its generate.py writes, and `guarantee:SEED` or `guarantee:SEED:MASKER` is a case of the
guarantee test, whose generator says with which options it is to be masked.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from tests import sdmx_messages

TOP = Path(__file__).resolve().parents[2]
OPTIONS = "options.json"
"""Where a drawn case says how it is to be masked."""

Row = Mapping[str, str]


def prepare(name: str, folder: Path) -> None:
    """Write the files of an input into a folder that exists."""
    kind, _, rest = name.partition(":")
    if kind == "example":
        _example(rest, folder)
    elif kind == "guarantee":
        seed, _, masker = rest.partition(":")
        _guarantee(int(seed), masker or None, folder)
    else:
        INPUTS[name](folder)


def _example(name: str, folder: Path) -> None:
    """Copy an example and run its generator, which writes below the folder it is started in."""
    place = TOP / "examples" / name
    for path in place.iterdir():
        if path.suffix in (".sch", ".yml", ".txt", ".sql", ".R"):
            shutil.copy(path, folder)
    environment = {**os.environ, "PYTHONPATH": str(TOP)}
    generate = [sys.executable, str(place / "generate.py")]
    subprocess.run(generate, cwd=folder, env=environment, check=True, capture_output=True)
    for path in (folder / "build" / "examples" / name).iterdir():
        path.replace(folder / path.name)
    shutil.rmtree(folder / "build")


def _guarantee(seed: int, masker: str | None, folder: Path) -> None:
    """Write a drawn case; nothing but its files and options is used of the generator."""
    from constraint_sdc.exam.guarantee.generator import make_case, write_case
    from constraint_sdc.exam.guarantee.maskers import with_masker

    case = make_case(seed) if masker is None else with_masker(make_case(seed), masker)
    write_case(case, folder)
    # A swap needs no k; its cases say 1.
    words = ["-k", str(case.k)] if case.k > 1 else []
    words += ["--phase", case.phase] if case.phase is not None else []
    words += ["--on-broken", "keep"] if case.is_damaged else []
    words += ["--allow-idle", "all"]  # drawn rules may take every record from a later one
    (folder / OPTIONS).write_text(json.dumps(words), encoding="utf-8")


def _xml(rows: Iterable[Row], root: str, record: str) -> str:
    lines = [f"<{root}>"]
    for row in rows:
        cells = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in row.items())
        lines.append(f"  <{record}>{cells}</{record}>")
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *lines, f"</{root}>", ""])


def _csv(rows: Iterable[Row], delimiter: str = ",") -> str:
    table = list(rows)
    lines = [delimiter.join(table[0]), *(delimiter.join(row.values()) for row in table)]
    return "\n".join([*lines, ""])


def _write(path: Path, text: str, encoding: str = "utf-8") -> None:
    path.write_bytes(text.encode(encoding))


def _firm(number: int, draw: random.Random) -> dict[str, str]:
    employees = int(draw.lognormvariate(3, 1)) + 1
    wages = int(employees * draw.lognormvariate(3.5, 0.3)) + employees
    materials = int(wages * draw.lognormvariate(0, 0.6))
    turnover = int((wages + materials) * draw.lognormvariate(0.1, 0.2)) + 1
    price, units = draw.randint(100, 999), draw.randint(1, 400)
    return {
        "Id": f"F{number:03d}",
        "Region": draw.choice(("north", "north", "east", "south", "south", "west")),
        "Size": "small" if employees < 15 else "medium" if employees < 50 else "large",
        "Branch": draw.choice(("trade", "craft", "industry")),
        "Weight": f"{draw.uniform(1, 4):.2f}",
        "Employees": str(employees),
        "Wages": str(wages),
        "Materials": str(materials),
        "Costs": str(wages + materials),
        "Turnover": str(turnover),
        "Profit": str(turnover - wages - materials),
        "Price": f"{price / 100:.2f}",
        "Units": str(units),
        "Sales": f"{price * units / 100:.2f}",
        "Rate": f"{draw.uniform(0, 60):.1f}",
        "Age": str(draw.randint(1, 80)),
    }


def _firms(records: int = 120) -> list[dict[str, str]]:
    draw = random.Random(1)
    return [_firm(number, draw) for number in range(1, records + 1)]


FIRMS_RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
  <title>Firms</title>
  <let name="original" value="document('firms.xml')"/>
  <phase id="sums"><active pattern="P-sums"/></phase>
  <pattern id="P-sums">
    <rule context="Firm">
      <assert id="R-costs" test="number(Wages) + number(Materials) = number(Costs)">Costs.</assert>
      <assert id="R-profit" test="number(Turnover) - number(Costs) = number(Profit)">Profit.</assert>
    </rule>
  </pattern>
  <pattern id="P-others">
    <rule context="Firm">
      <assert id="R-wages" test="number(Wages) >= number(Employees)">Wages.</assert>
      <assert id="R-small" test="not(Size = 'small') or number(Employees) &lt; 15">Small firms.</assert>
      <assert id="R-large" test="not(number(Employees) >= 50) or Size = 'large'">Large firms.</assert>
      <assert id="R-range" test="0 &lt;= number(Rate) and number(Rate) &lt;= 60">Rate.</assert>
      <assert id="R-region" test="Region = ('north', 'east', 'south', 'west')">Region.</assert>
      <assert id="R-known" test="exists(index-of($original//Firm/Age, Age))">Age of another firm.</assert>
      <assert id="R-whole" test="number(Units) mod 1 = 0">Whole units.</assert>
      <assert id="R-form" test="matches(Id, '^F[0-9]{3}$')">Form of the id.</assert>
    </rule>
  </pattern>
</schema>
"""

SOFT_RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
  <title>Firms, with rules of every severity and kind</title>
  <pattern id="P-soft">
    <rule context="Firm">
      <assert id="R-costs" test="number(Wages) + number(Materials) = number(Costs)">Costs are
        <value-of select="Costs"/>.</assert>
      <assert id="R-rich" role="warning" test="number(Profit) >= 0">A loss of <value-of select="Profit"/>.</assert>
      <assert id="R-old" role="information" test="number(Age) &lt;= 70">An old firm.</assert>
      <report id="R-many" role="warning" test="number(Units) > 390">Many units.</report>
    </rule>
  </pattern>
  <pattern id="P-across">
    <rule context="Firm">
      <assert id="R-unique" test="count(../Firm[Id = current()/Id]) = 1">Two firms with one id.</assert>
      <assert id="R-opaque" test="string-length(normalize-space(string-join((Id, Region), ' '))) > 5">Short.</assert>
    </rule>
  </pattern>
  <pattern id="P-file">
    <rule context="/Firms">
      <assert id="R-total" test="sum(Firm/number(Employees)) > 100">The file is too small.</assert>
    </rule>
  </pattern>
</schema>
"""

ACROSS_RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
  <pattern>
    <rule context="Firm">
      <assert id="R-costs" test="number(Wages) + number(Materials) = number(Costs)">Costs.</assert>
    </rule>
  </pattern>
  <pattern>
    <rule context="/Firms">
      <assert id="R-spread" test="count(distinct-values(Firm/Units)) > 60">The units of too many firms agree.</assert>
    </rule>
  </pattern>
</schema>
"""


def _write_firms(folder: Path) -> None:
    rows = _firms()
    _write(folder / "firms.xml", _xml(rows, "Firms", "Firm"))
    _write(folder / "firms.csv", _csv(rows))
    _write(folder / "firms.sch", FIRMS_RULES)
    _write(folder / "soft.sch", SOFT_RULES)
    _write(folder / "across.sch", ACROSS_RULES)


def _write_broken(folder: Path) -> None:
    """Firms of which some break rules already, one has an id twice, and one has no costs."""
    rows = _firms()
    for number in (3, 17, 60):
        rows[number]["Costs"] = str(int(rows[number]["Costs"]) + 7)
    rows[20]["Rate"] = "61.0"
    rows[33]["Region"] = "abroad"
    rows[40]["Id"] = rows[41]["Id"]
    del rows[55]["Costs"]
    _write(folder / "firms.xml", _xml(rows, "Firms", "Firm"))
    _write(folder / "firms.sch", FIRMS_RULES)
    _write(folder / "soft.sch", SOFT_RULES)


PEOPLE_RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
  <ns prefix="p" uri="urn:people"/>
  <pattern id="P-people">
    <rule context="p:Person">
      <assert id="R-sum" test="number(p:Wage) + number(p:Rent) = number(p:Total)">Total.</assert>
      <assert id="R-age" test="not(number(@age) &lt; 18) or number(p:Wage) &lt;= 300">Children.</assert>
      <assert id="R-sex" test="@sex = ('F', 'M')">Sex.</assert>
    </rule>
  </pattern>
</schema>
"""


def _people_xml(encoding: str) -> str:
    """People with attributes, a namespace, comments, CDATA, nil, absent and empty values, and codes for missing."""
    draw = random.Random(2)
    lines = [
        f'<?xml version="1.0" encoding="{encoding}"?>',
        "<!-- survey -->",
        '<p:People xmlns:p="urn:people" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
        "  <p:Head><p:Title>Zażółć</p:Title></p:Head>",
    ]
    for number in range(1, 101):
        age = draw.randint(1, 90)
        wage = draw.randint(0, 300) if age < 18 else draw.randint(200, 5000)
        rent = draw.randint(0, 900)
        lines.append(f'  <p:Person id="{number}" age="{age}" sex="{draw.choice("FM")}">')
        lines.append(f"    <p:Wage>{wage}</p:Wage><p:Rent><![CDATA[{rent}]]></p:Rent>")
        lines.append(f"    <p:Total>{wage + rent}</p:Total>" + ("<!-- seen -->" if number % 9 == 0 else ""))
        hours = draw.choice((str(draw.randint(10, 60)), "-9", "", str(draw.randint(10, 60))))
        if number % 7:
            lines.append(f"    <p:Hours>{hours}</p:Hours>")
        nil = number % 11 == 0
        lines.append('    <p:Size xsi:nil="true"/>' if nil else f"    <p:Size>{draw.randint(30, 250)}</p:Size>")
        lines.append(f"    <p:Town>{draw.choice(('Łódź', 'Kraków', 'Gdańsk &amp; Sopot'))}</p:Town>")
        lines.append("  </p:Person>")
    return "\n".join([*lines, "</p:People>", ""])


def _write_people(folder: Path) -> None:
    _write(folder / "people.xml", _people_xml("UTF-8"))
    _write(folder / "people-latin2.xml", _people_xml("ISO-8859-2"), "iso-8859-2")
    _write(folder / "people-utf16.xml", _people_xml("UTF-16"), "utf-16")
    _write(folder / "people.sch", PEOPLE_RULES)


def _write_tables(folder: Path) -> None:
    """Delimited files in several dialects and encodings, with quotes, formulas and empty cells."""
    draw = random.Random(3)
    rows = [
        {
            "Id": f"{number:03d}",
            "Town": draw.choice(("Łódź", "Kraków", "Żary")),
            "Income": str(draw.randint(100, 9000)),
            "Share": f"{draw.random():.4f}" if number % 6 else "",
            "Hours": str(draw.randint(0, 60)),
        }
        for number in range(1, 81)
    ]
    _write(folder / "table.csv", _csv(rows))
    _write(folder / "table.tsv", _csv(rows, "\t"))
    _write(folder / "semicolon.csv", _csv(rows, ";"), "utf-8-sig")
    _write(folder / "latin2.csv", _csv(rows, ";"), "iso-8859-2")
    _write(folder / "quoted.csv", 'Name,Note\r\n"a, b","say ""yes"""\r\n=1+1,"two\nlines"\r\n-5,+3\r\n@x,\r\n')
    _write(folder / "ragged.csv", "A,B\n1,2\n3\n")
    _write(folder / "table.xml", _xml(rows, "Rows", "Row"))


def _write_messages(folder: Path) -> None:
    """Write the same observations as SDMX in every kind that is read."""
    found = sdmx_messages.rows(30)
    for kind, message in sdmx_messages.MESSAGES.items():
        _write(folder / f"{kind.replace(' ', '-').replace('.', '')}.xml", message(found))
    _write(folder / "v1.csv", sdmx_messages.csv_1(found, has_labels=True))
    _write(folder / "v2.csv", sdmx_messages.csv_2(found))
    _write(folder / "delete.csv", sdmx_messages.csv_2(found, "D"))
    group = '    <Group REF_AREA="AT" TITLE="Austria"/>\n'
    _write(folder / "group.xml", sdmx_messages.specific(found, group=group))


def _write_census(folder: Path) -> None:
    """An extract that satisfies the shipped census rules, and the rules."""
    draw = random.Random(4)
    rows = []
    for _ in range(90):
        earnings = draw.choice((draw.randint(200, 1500), draw.randint(1500, 90000)))
        taxable = draw.randint(100, 80000)
        wage = draw.randint(0, taxable) if earnings < 1115 else draw.randint(0, 90000)
        federal, state = draw.randint(100, 20000), draw.randint(50, 6000)
        others, own = draw.randint(0, 7000), draw.randint(0, 90000)
        inverse = 1 / state
        first = (draw.randint(10000, 300000), draw.randint(3000, 150000), draw.randint(0, 7500), earnings, federal)
        second = (draw.randint(100, 6000), draw.randint(0, 900), earnings, others, own, state, taxable, wage)
        texts = [*map(str, (*first, *second)), str(others + own), repr(inverse), repr(federal * inverse)]
        rows.append({f"V{number}": text for number, text in enumerate(texts, start=1)})
    _write(folder / "original.xml", _xml(rows, "Microdata", "Record"))
    shutil.copy(folder / "original.xml", folder / "microdata.xml")
    for row in rows[::13]:
        row["V14"] = str(int(row["V14"]) + 1)
    rows[5]["V3"], rows[6]["V1"] = "9000", "17"
    _write(folder / "damaged.xml", _xml(rows, "Microdata", "Record"))
    for rules in ("census.sch", "census-paper.sch", "constraints.sch"):
        shutil.copy(TOP / "rules" / rules, folder)


TOWNS_RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
  <pattern>
    <rule context="Person">
      <assert id="R-region" test="matches(Region, '^R[1-6]$')">Region.</assert>
      <assert id="R-fishing" test="not(Sector = 'fishing') or Region = ('R1', 'R2')">Fishing.</assert>
      <assert id="R-commute" test="not(Region = 'R4') or number(Commute) &lt;= 45">Commute.</assert>
    </rule>
  </pattern>
</schema>
"""


def _write_towns(folder: Path) -> None:
    """People of six regions, whose scientists live in two of them."""
    draw = random.Random(5)
    rows = []
    for number in range(1, 261):
        region = f"R{draw.randint(1, 6)}"
        scientist = draw.random() < (0.5 if region in ("R3", "R4") else 0.1)
        fishing = region in ("R1", "R2") and draw.random() < 0.3
        rows.append(
            {
                "Id": str(number),
                "Region": region,
                "Year": str(draw.randint(2001, 2006)),
                "Occupation": "scientist" if scientist else draw.choice(("clerk", "craft")),
                "Sector": "fishing" if fishing else draw.choice(("trade", "public")),
                "Sex": draw.choice("FM"),
                "Age": str(draw.randint(18, 70)),
                "Education": str(draw.randint(1, 7)),
                "Commute": str(draw.randint(0, 45 if region == "R4" else 120)),
            }
        )
    _write(folder / "towns.xml", _xml(rows, "People", "Person"))
    _write(folder / "towns.sch", TOWNS_RULES)


MANY_RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
  <pattern>
    <rule context="Row">
      <assert id="R-sum" test="number(A) + number(B) = number(C)">Sum.</assert>
      <assert id="R-low" test="not(number(A) &lt; 50) or number(D) &lt;= 500">Low.</assert>
      <assert id="R-long" test="string-length(string-join((A, B, C), '-')) > 3">Long.</assert>
    </rule>
  </pattern>
</schema>
"""


def _write_many(folder: Path) -> None:
    """More records than the partitions take without compiled code, in more than one chunk of the reader."""
    draw = random.Random(6)
    rows = []
    for _ in range(12_000):
        a, b = int(draw.lognormvariate(5, 1)), draw.randint(0, 1000)
        d = draw.randint(0, 500 if a < 50 else 3000)
        values = {"A": str(a), "B": str(b), "C": str(a + b), "D": str(d), "E": f"{draw.gauss(0, 10):.3f}"}
        rows.append({**values, "Remark": "filler " * 8})
    _write(folder / "many.xml", _xml(rows, "Rows", "Row"))
    _write(folder / "many.csv", _csv({name: row[name] for name in "ABDE"} for row in rows))
    _write(folder / "many.sch", MANY_RULES)


def _write_bad(folder: Path) -> None:
    """Files that cannot be processed, or hold nothing."""
    _write(folder / "torn.xml", "<Firms><Firm><A>1</A></Firm><Firm>")
    _write(folder / "empty.xml", "")
    _write(folder / "none.xml", "<Firms/>")
    _write(folder / "tree.xml", "<a><b><c>1</c></b><b><d><e>2</e></d></b></a>")
    _write(folder / "entity.xml", '<!DOCTYPE a [<!ENTITY x "y">]><a><r><V>&x;</V></r><r><V>2</V></r></a>')
    _write(folder / "torn.sch", "<schema xmlns='http://purl.oclc.org/dsdl/schematron'><pattern>")
    schema = "<schema xmlns='http://purl.oclc.org/dsdl/schematron' queryBinding='xslt2'><pattern><rule context='{}'>"
    ending = "</rule></pattern></schema>"
    _write(folder / "syntax.sch", schema.format("Firm") + "<assert id='R-x' test='1 +'>x</assert>" + ending)
    cast = "<assert id='R-cast' test='xs:integer(Region) > 1'>x</assert>"
    space = "<schema xmlns='http://purl.oclc.org/dsdl/schematron' queryBinding='xslt2'>"
    space += "<ns prefix='xs' uri='http://www.w3.org/2001/XMLSchema'/><pattern><rule context='Firm'>"
    _write(folder / "cast.sch", space + cast + ending)
    _write(folder / "idle.sch", schema.format("Nobody") + "<assert id='R-idle' test='A = 1'>x</assert>" + ending)
    _write(folder / "tree.sch", schema.format("b") + "<assert id='R-tree' test='c = 1'>x</assert>" + ending)
    _write(folder / "unknown.yml", "k: 3\nflavour: vanilla\n")
    _write(folder / "twice.yml", "k: 3\nk: 4\n")
    _write(folder / "broken.yml", "k: [3\n")


INPUTS: Mapping[str, Callable[[Path], None]] = {
    "firms": _write_firms,
    "broken firms": _write_broken,
    "people": _write_people,
    "tables": _write_tables,
    "messages": _write_messages,
    "census": _write_census,
    "towns": _write_towns,
    "many records": _write_many,
    "bad files": _write_bad,
}
