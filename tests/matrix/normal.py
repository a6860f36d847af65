"""Wording aside: what of an output must stay when sentences, class names and module names change.

Numbers, keys, codes, ids and counts are kept exactly. A sentence becomes `…`. A digest of a file of the case becomes
the name of the file; any other digest may cover sentences and is left out. Paths become base names, times and versions
go.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from lxml import etree, html

SAID = "…"
DROPPED = frozenset({"seconds", "time", "version", "versions", "semanticVersion", "schema_version", "driver_version"})
DROPPED |= {"payload", "sig"}  # of a signature: they hold versions once more
WORDING = frozenset(
    {"title", "says", "label", "because", "strategy", "reason", "summary", "message", "head", "text", "markdown"}
    | {"notes", "warnings", "assumptions", "promises", "diagnostics", "refused", "mismatches", "fullName", "error"}
)
"""Entries that hold words whatever they look like."""
GIVEN = frozenset({"test", "context", "location", "xpath", "fullyQualifiedName", "vital", "base", "against"})
"""Entries that repeat the user's own text."""
FORMULAS = frozenset({"normal_form", "conditions", "derivations", "formula"})
"""Entries that hold formulas with words between: names, numbers and signs stay."""
VALUES = frozenset(
    {"arithmetic mean", "geometric mean", "lower median", "value domain", "possible values", "cross record"}
    | {"ordinal code", "household number", "free text", "numbers with missing codes"}
    | {"drawn in", "topped up", "with rules", "without rules", "concentration difference", "not applicable"}
)
"""Values with a space that are codes, not sentences."""

_HEX = re.compile(r"[0-9a-f]{40,64}")
_PATH = re.compile(r"(?:file://)?[^\s:]*/([^\s/:]+\.[A-Za-z]{1,7})((?::\d+)*)")
_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?\s?%?")
_FORMULA = re.compile(r"[<>=!+*/]+|[\w@:.-]*\d[\w.-]*|@?[A-Z][\w:-]*|'[^']*'")
_PLACE = re.compile(r"([\w.-]+\.(?:sch|xml|yml|csv|tsv|json|parquet|sav|dta)):(\d+)")
_WORD = re.compile(r"@?[\w-]+")
_SHORT = 160
DEPTH = 3
_FEW = 6


# Files -------------------------------------------------------------------------------------------------------------


def normal_file(path: Path, folder: Path) -> Any:
    """Return what must stay of a written file."""
    content, kind = path.read_bytes(), path.suffix
    if kind in (".parquet", ".sav", ".zsav", ".dta"):
        return _table(path)
    if kind == ".svg":
        return {"svg": etree.QName(etree.fromstring(content, etree.XMLParser(huge_tree=True))).localname}
    if kind == ".html":
        return _page(content.decode("utf-8"))
    if kind in (".json", ".sarif"):
        return normal_json(json.loads(content), folder)
    if kind == ".jsonl":
        return sorted((normal_json(json.loads(line), folder) for line in content.splitlines()), key=_text)
    if kind == ".yml" and b"\nvariables:\n" in content:  # a recipe of `init`: its comments are sentences
        return yaml.load(content, yaml.BaseLoader)
    if path.name == "points.csv":
        return _points(content.decode("utf-8"))
    if kind == ".txt":
        return _figures(content.decode("utf-8"))
    if content.lstrip()[:200].find(b"svrl:schematron-output") >= 0 or b"<testsuites" in content[:200]:
        return _skeleton(content)
    return {"sha256": hashlib.sha256(content).hexdigest()}


def normal_output(text: str, folder: Path) -> Any:
    """Return what must stay of what a command printed, whatever its form."""
    start = text.lstrip()
    if start.startswith(("{", "[")):
        try:
            return normal_json(json.loads(text), folder)
        except ValueError:
            return _figures(text)
    if start.startswith("<?xml"):
        return _skeleton(text.encode("utf-8"))
    if start.lower().startswith("<!doctype html"):
        return _page(text)
    return _figures(text)


def culprits(complaint: str, folder: Path) -> list[str]:
    """Return what a message points at: places in files, and ids and variables of the case, each once."""
    known = _vocabulary(folder)
    places = {f"{Path(name).name}:{line}" for name, line in _PLACE.findall(complaint)}
    return sorted(places | {word for word in _WORD.findall(complaint) if word in known})


def _vocabulary(folder: Path) -> set[str]:
    """Return the ids and element names of the case that cannot be taken for words of a sentence."""
    found: set[str] = set()
    for path in folder.iterdir():
        if path.suffix in (".sch", ".xml") and path.stat().st_size < 2_000_000:
            text = path.read_bytes().decode("utf-8", errors="replace")
            pattern = r'\sid=["\']([^"\']+)["\']' if path.suffix == ".sch" else r"<([A-Za-z][\w-]*)[ >]"
            found |= set(re.findall(pattern, text))
    return {word for word in found if re.search(r"[0-9]|^R-", word)}


# JSON --------------------------------------------------------------------------------------------------------------


def normal_json(value: Any, folder: Path) -> Any:
    """Return a JSON value with its wording aside."""
    digests = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in folder.rglob("*") if path.is_file()}
    names = {digest: path.relative_to(folder).as_posix() for digest, path in digests.items()}
    return _normal(value, "", names)


def _normal(value: Any, key: str, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        kept = {name: item for name, item in value.items() if name not in DROPPED and not _is_said(name, value)}
        return {name: _normal(item, name, names) for name, item in kept.items()}
    if isinstance(value, list):
        return [_normal(item, key, names) for item in value]
    if isinstance(value, str):
        return _normal_text(value, key, names)
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value


def _is_said(name: str, entries: dict[str, Any]) -> bool:
    """Tell whether an entry is a code whose sentence stands beside it; a saved plan has codes alone, which are kept."""
    if name == "reason":
        return isinstance(entries[name], dict) and bool({"because", "why"} & entries.keys())
    stem = re.fullmatch(r"(\w+)_reason(s?)", name)
    return stem is not None and (stem[1] in entries or f"{stem[1]}s" in entries)


def _normal_text(text: str, key: str, names: dict[str, str]) -> str:
    if _HEX.fullmatch(text):
        return f"digest of {names[text]}" if text in names else "digest"
    if key in WORDING:
        return SAID
    if key in FORMULAS:
        return " ".join(_FORMULA.findall(_PATH.sub(r"\1", text)))
    path = _PATH.fullmatch(text)
    if path:
        return path[1] + path[2]
    if key in GIVEN or " " not in text or text in VALUES:
        return text
    return SAID


# Other forms -------------------------------------------------------------------------------------------------------


def _figures(text: str) -> Any:
    """Return the numbers that stand in a column of their own; commands of a build log by file and line."""
    logged = re.findall(r"^::(\w+) file=([^,]+),line=(\d+)", text, re.MULTILINE)
    cells = [cell.strip() for line in text.splitlines() for cell in re.split(r"\s{2,}|\t|\s\|\s", line.strip())]
    numbers = [cell for cell in cells if _NUMBER.fullmatch(cell)]
    found: dict[str, Any] = {"figures": numbers}
    if logged:
        found["logged"] = [[kind, Path(name).name, int(line)] for kind, name, line in logged]
    return found


def _skeleton(content: bytes) -> list[Any]:
    """Return the elements and attributes of a report in XML; equal ones next to each other are counted."""
    root = etree.fromstring(content)
    found: list[Any] = []
    for element in root.iter(etree.Element):
        attributes = {
            str(name): _normal_text(str(value), str(name), {})
            for name, value in element.items()
            if str(name) not in DROPPED
        }
        found.append([etree.QName(element).localname, attributes])
    return found


def _page(text: str) -> Any:
    """Return how many parts a page has, and the numbers of its tables."""
    root = html.document_fromstring(text.encode("utf-8"), parser=html.HTMLParser(encoding="utf-8"))
    counts = Counter(str(element.tag).rpartition("}")[2] for element in root.iter(etree.Element))
    cells = ("".join(map(str, cell.itertext())).strip() for cell in root.iter("td"))
    parts = {name: counts[name] for name in ("section", "table", "tr", "svg")}
    return {"parts": parts, "figures": [cell for cell in cells if _NUMBER.fullmatch(cell)]}


def _points(text: str) -> Any:
    """Return the points of a sweep without times and reasons."""
    rows = csv.DictReader(io.StringIO(text))
    return [{name: _cell(name, cell) for name, cell in row.items() if name not in DROPPED} for row in rows]


def _cell(name: str, cell: str) -> str:
    return SAID if cell and (name in WORDING or (" " in cell and cell not in VALUES)) else cell


def _table(path: Path) -> Any:
    """Return the content of a binary file read back: names, types, and a digest of the values."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        table = pq.read_table(path)
        columns: Any = {field.name: [str(field.type), _metadata(field.metadata)] for field in table.schema}
        values: Any = table.to_pydict()
    else:
        import pyreadstat

        read = pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav
        frame, metadata = read(str(path))
        columns = {
            name: [
                metadata.readstat_variable_types.get(name),
                metadata.original_variable_types.get(name),
                metadata.column_names_to_labels.get(name),
            ]
            for name in metadata.column_names
        }
        values = {name: frame[name].tolist() for name in frame.columns}
    return {"columns": columns, "values": digest(repr(values))}


def _metadata(entries: dict[bytes, bytes] | None) -> Any:
    """Return what is written beside a column: labels, measures and codes for missing."""
    texts = {key.decode("utf-8"): value.decode("utf-8") for key, value in (entries or {}).items()}
    return {key: json.loads(text) if text.startswith("{") else text for key, text in sorted(texts.items())}


# Short form --------------------------------------------------------------------------------------------------------


def outline(value: Any, depth: int = DEPTH) -> Any:
    """Return a value with long parts replaced by their digest; a difference has a place down to this depth."""
    text = _text(value)
    if len(text) <= _SHORT:
        return value
    if isinstance(value, dict) and depth:
        return {key: outline(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list) and len(value) <= _FEW and depth:
        return [outline(item, depth - 1) for item in value]
    size = f"{len(value)} items, " if isinstance(value, (list, dict)) else ""
    return f"{size}{digest(text)}"


def digest(text: str) -> str:
    """Return a short digest of a text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:20]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def differences(before: Any, after: Any, place: str = "") -> Iterable[str]:
    """Yield one line for every place at which two results differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            where = f"{place}.{key}" if place else key
            if key not in after:
                yield f"{where}: {_text(before[key])[:160]} is gone"
            elif key not in before:
                yield f"{where}: {_text(after[key])[:160]} is new"
            else:
                yield from differences(before[key], after[key], where)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after, strict=True)):
            yield from differences(*pair, f"{place}[{number}]")
    elif before != after or type(before) is not type(after):
        yield f"{place}: {_text(before)[:160]} became {_text(after)[:160]}"
