"""The process in which Saxon runs: it holds documents and stylesheets and answers one message after another.

It opens no file: what it works on comes with the messages, so that the parent knows the digest of every byte.

It is a process of its own because Saxon holds Python's lock for a whole call: no thread and no alarm can stop it, but
a process can be killed. It imports Saxon and nothing else that is heavy.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys
import tempfile
from typing import IO, Any, BinaryIO

from constraint_sdc.files.xml_encoding import EncodingError, plain_text, xml_text
from constraint_sdc.files.xml_names import late_name
from constraint_sdc.judge.worker.process import Message, read_message, write_message
from constraint_sdc.judge.worker.saxon import Saxon, SaxonError, complaint_line
from constraint_sdc.limits import NAMESPACES


class Session:
    """What the worker remembers between messages."""

    def __init__(self, saxon: Saxon, complaints: IO[bytes]) -> None:
        self._saxon = saxon
        self._complaints = complaints
        self._sheets: dict[str, Any] = {}
        self._documents: dict[str, Any] = {}
        self._texts: dict[str, str] = {}
        self._missing: dict[str, str] = {}
        self._instance: Any = None
        self._instance_uri: str | None = None

    def answer(self, message: Message, attachment: bytes) -> Message:
        """Carry out a request and return the answer; a problem is an answer too."""
        try:
            match message["do"]:
                case "compile":
                    self._sheets[message["sheet"]] = self._saxon.compile(attachment.decode())
                    return {}
                case "instance":
                    self._instance = None  # the old document and the new one need not be in memory together
                    self._instance = self._parse(attachment, message["uri"])
                    self._instance_uri = message["uri"] if message["is_whole"] else None
                    for key in message.get("also", ()):
                        self._documents[key] = self._parse(attachment, message["uri"])
                    return {}
                case "document":
                    self._documents[message["key"]] = self._parse(attachment, message["uri"])
                    return {}
                case "text":
                    self._texts[message["key"]] = plain_text(attachment, message["encoding"])
                    return {}
                case "missing":
                    self._missing[message["key"]] = ""
                    return {}
                case "forget":
                    self._documents = {key: node for key, node in self._documents.items() if key.startswith("given ")}
                    self._texts.clear()
                    self._missing.clear()
                    return {}
                case "renew":
                    self._sheets.clear()
                    self._documents.clear()
                    self._texts.clear()
                    self._missing.clear()
                    self._instance = self._instance_uri = None
                    return {}
                case "run":
                    return self._run(message)
                case other:
                    return {"problem": "protocol", "text": f"unknown message {other!r}"}
        except SaxonError as error:
            return {"problem": "saxon", "text": str(error)}
        except _NotXmlError as error:
            return {"problem": "xml", "text": str(error), "line": error.line}
        except EncodingError as error:
            return {"problem": "encoding", "text": error.what, "line": error.line, "hint": error.hint}

    def _parse(self, content: bytes, uri: str) -> Any:
        text = xml_text(content)
        _refuse_many_namespaces(text)
        self._complaints.seek(0)
        self._complaints.truncate()
        try:
            return self._saxon.parse(text, uri)
        except SaxonError as error:
            self._complaints.seek(0)
            late = late_name(text.encode("utf-8"))
            if late is not None:
                raise EncodingError(late.what, late.lines_before + 1, late.hint) from None
            line = complaint_line(self._complaints.read().decode("utf-8", "replace"))
            raise _NotXmlError(str(error), line) from None

    def _run(self, message: Message) -> Message:
        judge = message["namespace"]
        instance = {self._instance_uri: self._instance} if self._instance_uri is not None else {}
        held = {"documents": self._documents, "texts": self._texts, "missing": self._missing, "instance": instance}
        parameters = {f"{{{judge}}}{name}": self._saxon.map_of(entries) for name, entries in held.items() if entries}
        parameters |= {name: self._documents[key] for name, key in message["parameters"].items()}
        outcome = self._saxon.run(self._sheets[message["sheet"]], f"{{{judge}}}main", self._instance, parameters)
        answer: Message = {"text": outcome.text, "lines": outcome.lines, "messages": outcome.messages}
        if outcome.error is not None:
            answer["error"] = outcome.error
        return answer


def _refuse_many_namespaces(text: str) -> None:
    """Refuse a start tag with so many namespace declarations that Saxon, which compares each with all, takes hours."""
    if text.count("xmlns") <= NAMESPACES:
        return
    line = 1
    for tag in text.split("<"):
        if tag.count("xmlns") > NAMESPACES:
            raise _NotXmlError(f"more than {NAMESPACES:,} namespace declarations in one start tag", line)
        line += tag.count("\n")


class _NotXmlError(Exception):
    """A document is not well-formed, or has a DOCTYPE."""

    def __init__(self, text: str, line: int | None) -> None:
        super().__init__(text)
        self.line = line


def serve(requests: BinaryIO, answers: BinaryIO, complaints: IO[bytes]) -> None:
    """Answer messages until the other side closes."""
    session = Session(Saxon(), complaints)
    while (received := read_message(requests)) is not None:
        write_message(answers, session.answer(*received))


def end_with(lifeline: int) -> None:
    """Arrange that the process ends at once when the other side closes during a call.

    Saxon holds Python's lock, so Python cannot check for it; but the kernel can signal that a pipe was closed, and the
    signal's default action ends the process. Nothing may ever be written to this pipe, because the kernel signals a
    write too, possibly after the reader has already read it.
    """
    if not hasattr(fcntl, "F_SETOWN") or not hasattr(os, "O_ASYNC"):
        return
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([lifeline], [], [], 0)[0]:
        raise SystemExit  # the other side was closed before the signal was set up


def main() -> None:
    """Serve over standard input and output; Saxon's own output goes to a temporary file.

    The second argument is the number of the pipe whose other end closes when the parent ends.

    A keyboard interrupt reaches the whole process group, but the parent alone decides when to stop.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(int(sys.argv[2]))
    with os.fdopen(os.dup(1), "wb") as answers, tempfile.TemporaryFile() as complaints:
        os.dup2(complaints.fileno(), 1)
        os.dup2(complaints.fileno(), 2)
        serve(sys.stdin.buffer, answers, complaints)


if __name__ == "__main__":
    main()
