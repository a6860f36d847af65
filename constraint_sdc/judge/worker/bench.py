"""The judge's bench: a worker, and the stylesheets and documents that it holds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

from constraint_sdc.errors import (
    ChangedFileError,
    ConstraintSdcError,
    DataError,
    JudgeError,
    ResourceRefusedError,
    RulesError,
)
from constraint_sdc.files.readings import Readings, SentFile, sent_rows
from constraint_sdc.judge.stylesheet.access import Wanted, file_uri
from constraint_sdc.judge.stylesheet.expressions import given
from constraint_sdc.judge.stylesheet.prelude import NEEDED
from constraint_sdc.judge.stylesheet.sheet import SheetPlace
from constraint_sdc.judge.stylesheet.transpile import Stylesheet
from constraint_sdc.judge.worker.process import Message, Worker, take_started
from constraint_sdc.named_copies import beside_copy
from constraint_sdc.schematron.confinement import Confinement
from constraint_sdc.schematron.xslt import JUDGE

# Turn Saxon's error messages, one long string each, into errors that name the author's file and line.

_HEAD = re.compile(r"^[^\n]*\bon line \d+[^\n]*:\s*$", re.MULTILINE)
# Saxon names a line of the stylesheet as "on line 7", and in its call stack also as "at <uri>#7".
_LINE = re.compile(r"(?:\bon line |\bat \S+#)(\d+)")
_STACK = re.compile(r"^\s*(?:In template|invoked by|at |Caused by|\tat ).*$", re.MULTILINE)


def rules_error(complaint: str, places: Mapping[int, SheetPlace]) -> ConstraintSdcError:
    """Return a RulesError at the first of the author's lines that the message leads to, a JudgeError if there is none.

    A static message lists several errors, each with a heading; a dynamic one is followed by its call stack.
    """
    for line in _LINE.finditer(complaint):
        place = places.get(int(line[1]))
        if place is not None:
            heads = [head for head in _HEAD.finditer(complaint) if head.start() <= line.start()]
            start = heads[-1].start() if heads and not _STACK.match(heads[-1][0]) else 0
            following = _HEAD.search(complaint, _end_of_line(complaint, line.start()))
            text = readable(complaint[start : following.start() if following and following.start() > start else None])
            return RulesError(f"{place.what}: {text}", file=place.origin.file, line=place.origin.line)
    return JudgeError(f"Saxon stopped: {readable(complaint)}")


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def readable(complaint: str) -> str:
    """Return Saxon's message on one line: error code and text, without the call stack.

    >>> readable("  FORG0001  Cannot convert\\n  'x' to an integer\\nIn template main on line 2 column 1 of a:\\n")
    "FORG0001: Cannot convert 'x' to an integer"
    """
    text = " ".join(_STACK.sub("", _HEAD.sub("", complaint)).split())
    text = text.replace(f"Q{{{JUDGE}}}", "").replace("Q{http://www.w3.org/2005/xpath-functions}", "")
    return re.sub(r"^([A-Z]{4}\d{4})\s+", r"\1: ", text)


def parser_text(complaint: str) -> str:
    """Return the XML parser's message in words for a user."""
    text = " ".join(complaint.split()).removeprefix("SXXP0003").strip().removeprefix("Error reported by XML parser:")
    return "a DOCTYPE is not allowed" if "disallow-doctype-decl" in text else text.strip().rstrip(".")


class Bench:
    """A worker with its stylesheets and documents; it lives as long as its process."""

    def __init__(self) -> None:
        self._worker = take_started() or Worker()
        self._compiled: set[str] = set()
        self._held: set[str] = set()
        self._missing: set[str] = set()
        self._given: dict[str, tuple[str, Path]] = {}
        self._confinement: Confinement | None = None
        self.readings = Readings()
        self.deadline: float | None = None

    @property
    def is_alive(self) -> bool:
        """Tell whether the worker can still answer."""
        return self._worker.is_alive

    def close(self) -> None:
        """End the worker."""
        self._worker.kill()

    def compile(self, key: str, sheet: Stylesheet) -> None:
        """Compile a stylesheet once; a static error names the author's file and line."""
        if key in self._compiled:
            return
        answer = self._ask({"do": "compile", "sheet": key}, sheet.text.encode())
        if "problem" in answer:
            raise rules_error(str(answer["text"]), sheet.places)
        self._compiled.add(key)

    def give(self, parameters: Mapping[str, Path]) -> None:
        """Load only the documents that are values of variables; the user named them, so they may be anywhere."""
        self._given = {name: held for name, held in self._given.items() if name in parameters}
        for name, path in self._awaited(parameters).items():
            self._send_file({"do": "document", "key": _given_key(name), "uri": file_uri(path)}, path)
            self._given[name] = _given_key(name), path

    def _awaited(self, parameters: Mapping[str, Path]) -> dict[str, Path]:
        held = {name: path for name, (_, path) in self._given.items()}
        return {name: path for name, path in parameters.items() if held.get(name) != path}

    def open_file(self, path: Path, parameters: Mapping[str, Path]) -> None:
        """Take a file as the document to judge; if it is also the value of a variable, it is read once for both."""
        also = [name for name, other in self._awaited(parameters).items() if other == path]
        keys = [_given_key(name) for name in also]
        self._send_file({"do": "instance", "uri": file_uri(path), "is_whole": True, "also": keys}, path)
        self._given |= {name: (_given_key(name), path) for name in also}

    def open_bytes(self, document: bytes, base: Path) -> None:
        """Take a document in memory, which stands for part of a file, as the document to judge."""
        request = {"do": "instance", "uri": file_uri(base), "is_whole": False}
        _raise_unreadable(self._ask(request, document), base)

    def confine(self, confinement: Confinement) -> None:
        """Confine reading to these directories from now on, and drop what was read under others."""
        if confinement != self._confinement:
            self._ask({"do": "forget"})
            self._held.clear()
            self._missing.clear()
            self._confinement = confinement

    def prefetch(self, wanted: tuple[Wanted, ...]) -> None:
        """Load the documents that expressions name literally; the run itself reports one that cannot be loaded."""
        for href, base in wanted:
            uri = urldefrag(urljoin(base, href)).url
            try:
                if uri not in self._held and self._permitted(uri).is_file():
                    self._load("document", uri)
            except ChangedFileError:
                raise
            except (ConstraintSdcError, OSError, ValueError):
                continue

    def run(self, key: str) -> Message:
        """Run a stylesheet on the document."""
        parameters = {given(name).removeprefix("Q"): key for name, (key, _) in self._given.items()}
        return self._ask({"do": "run", "sheet": key, "namespace": JUDGE, "parameters": parameters})

    def provide(self, answer: Message, sheet: Stylesheet, schema_file: str) -> bool:
        """Load the resources that a run missed, or refuse them; tell whether there were any."""
        needs = [str(m).removeprefix(NEEDED).split(maxsplit=1) for m in answer["messages"] if str(m).startswith(NEEDED)]
        # A run may ask whether a document exists and for the document itself: the question is answered first.
        kinds = {key: kind for kind, key in sorted(needs)}
        for key, kind in kinds.items():
            try:
                self._provide_one(kind, key)
            except (ResourceRefusedError, RulesError) as error:
                placed = _placed(error, str(answer.get("error", "")), sheet, schema_file)
                placed.quotes_data = not _is_written(key.split(" ")[-1], sheet)
                raise placed from None
        return bool(needs)

    def _provide_one(self, kind: str, key: str) -> None:
        path = self._permitted(key.split(" ")[-1])
        if key in self._held or (key in self._missing and kind.endswith("?")):
            raise JudgeError(f"a rule repeatedly asks for {key}")
        if kind.endswith("?"):
            self._answer_whether(kind.removesuffix("?"), key, path)
        elif path.is_file():
            self._load(kind, key)
        else:
            hint = "name another file for the variable $original with --original FILE or --domain FILE"
            if beside_copy(path) is not None:
                hint = "only what is named is fetched: copy the rules and the files that they read to a directory"
            raise RulesError(f"a rule asks for {path}, but there is no such file", hint=hint)

    def _answer_whether(self, kind: str, key: str, path: Path) -> None:
        """Load what a rule only asks about; a file that is missing or cannot be read is not available."""
        try:
            if path.is_file():
                self._load(kind, key)
                return
        except ChangedFileError:
            raise
        except DataError:
            pass
        self._ask({"do": "missing", "key": key})
        self._missing.add(key)

    def _load(self, kind: str, key: str) -> None:
        encoding, _, uri = key.rpartition(" ")
        path = self._permitted(uri)
        self.readings.note_document(path)
        self._send_file({"do": kind, "key": key, "uri": uri, "encoding": encoding.strip("-")}, path)
        self._held.add(key)

    def _send_file(self, request: Message, path: Path) -> None:
        """Send a file with a request; the worker's problem with it becomes an error that names the file."""
        with SentFile(path) if request["do"] == "text" else sent_rows(path) as file:
            answer = self._worker.ask(request, file, self.deadline)
        self.readings.note(path, file.sha256)
        _raise_unreadable(answer, path)

    def _permitted(self, uri: str) -> Path:
        assert self._confinement is not None  # `confine` comes before every run
        return self._confinement.permitted(uri)

    def _ask(self, message: Message, attachment: bytes = b"") -> Message:
        return self._worker.ask(message, attachment, self.deadline)


def _given_key(name: str) -> str:
    return f"given {name}"


def _is_written(uri: str, sheet: Stylesheet) -> bool:
    """Tell whether the rules contain the file's name; if not, it may have been built from the data."""
    name = re.escape(unquote(uri.rpartition("/")[2]))
    return re.search(rf"(?:'|&quot;|/){name}(?:'|&quot;)", sheet.text) is not None


def _raise_unreadable(answer: Message, path: Path) -> None:
    """Raise the worker's problem with a document as an error that names the document."""
    if "problem" not in answer:
        return
    text = str(answer["text"])
    if answer["problem"] == "protocol":
        raise JudgeError(text)
    raise DataError(parser_text(text), file=str(path), line=answer.get("line"), hint=answer.get("hint"))


def _placed(
    error: ResourceRefusedError | RulesError, complaint: str, sheet: Stylesheet, schema_file: str
) -> ConstraintSdcError:
    """Return the error with the rule's own file and line, when the run's message gives them."""
    guilty = rules_error(complaint, sheet.places)
    if isinstance(guilty, RulesError):
        what = f"{guilty.what.partition(': ')[0]}: {error.what}"
        return type(error)(what, file=guilty.file, line=guilty.line, hint=error.hint)
    return type(error)(error.what, file=schema_file, hint=error.hint)
