"""Every error that a user can see, in one tree.

ConstraintSdcError            root; carries the exit code of the command line
├── UsageError                an option, argument or recipe is invalid (exit 2)
│   └── PluginError           an installed distribution offers something that cannot be used (in `plugins`)
├── RulesError                a file of rules cannot be processed (exit 2)
│   └── UntranslatedRulesError  rules of another language have no translation (in `languages/rule_book`)
├── DataError                 a microdata or XML file cannot be processed (exit 2)
│   ├── NotRowsError          well-formed XML, but not flat rows; `check` judges it as a document instead
│   │   └── NoRecordsError    nothing is inside the root element
│   └── ChangedFileError      a file is not as it was when the run first read it
├── ResourceRefusedError      a rule asked for a file outside the allowed directories (exit 2)
├── JudgeError                Saxon stopped: a time limit, a crash, an error outside any rule (exit 2)
├── EngineError               a worker, or the scheduler of a cluster, did not finish its work (exit 2)
├── LimitError                more time or memory than the limits allow (exit 2)
├── PlanRefusedError          the plan refuses; the message names the rule or variable, and a way out (exit 3)
│   ├── CannotShareError      records that would have to share values cannot
│   └── UndecidedError        nobody decided on a variable or on something around it (in `plan/inventory`)
├── NotTrustedError           a signature is missing, wrong, or not of a trusted key (exit 1)
└── NotPublishedError         masked, but a rule or the group size failed: nothing was published (exit 1)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from constraint_sdc.named_copies import named


@dataclass(frozen=True, slots=True)
class PromiseChange:
    """A change of a promise in `protect` of a recipe: `entry` gets the value; with no entry the promise is left out.

    `of` is the variable that the promise is about, "" for dominance.
    """

    promise: str
    of: str = ""
    entry: str = ""
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Conflict:
    """Rules that cannot hold together, by id, the masked variables that they read, and unmasked ones (`pins`).

    So many `records` have to share values and differ in the pins; 0 if the rules were found broken in a masked file.
    `fewest` is how many records of the file agree in the rarest values of the pins, None if there are no pins.
    `weaker` is, where no rule but a promise about people cannot be kept, what to promise instead.
    `verbatim` records would have the values of an actual record, because nothing else satisfies the rules, or
    (`is_torn`) because each block alone has nobody's values, and all blocks together somebody's.
    """

    rules: tuple[str, ...]
    variables: tuple[str, ...]
    pins: tuple[str, ...] = ()
    records: int = 0
    fewest: int | None = None
    weaker: tuple[PromiseChange, ...] = ()
    verbatim: int = 0
    is_torn: bool = False


@dataclass(frozen=True, slots=True)
class WayOut:
    """What to change of a masking that is refused: k, rules to leave out, roles of variables, and promises.

    `loss` is the information loss of the file that was masked so, None if it was not measured.
    `verbatim` is how many records may have the values of an actual record. `is_one_block` puts all variables together.
    `is_without_rules` if `without` has every rule: nothing is left to check, so the masking takes no rules at all.
    """

    k: int | None = None
    without: tuple[str, ...] = ()
    roles: tuple[tuple[str, str], ...] = ()
    promises: tuple[PromiseChange, ...] = ()
    loss: float | None = None
    verbatim: int | None = None
    is_one_block: bool = False
    is_without_rules: bool = False


class ConstraintSdcError(Exception):
    """A message that says what, where and what to do next; `file` and `line` are part of the text when known.

    >>> str(RulesError("unknown phase 'x'", file="a.sch", line=3, hint="use one of: all"))
    "a.sch:3: unknown phase 'x' (use one of: all)"
    >>> str(DataError("not UTF-8", file="a.xml")), str(DataError("not UTF-8", line=3))
    ('a.xml: not UTF-8', 'not UTF-8')
    """

    exit_code: ClassVar[int] = 2
    # Whether `what` may quote a value of the data: then it is shown only when values are requested.
    quotes_data: bool = False

    def __init__(
        self,
        what: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
    ) -> None:
        self.what = what
        self.file = file
        self.line = line
        self.column = column
        self.hint = hint
        shown = _from_here(named(file)) if file else ""
        place = f":{line}:{column}" if line and column else f":{line}" if line else ""
        where = f"{shown}{place}: " if shown else ""
        super().__init__(visible(where + what + (f" ({hint})" if hint else "")))


def visible(text: str) -> str:
    r"""Return the text on one line, with everything that does not print as an escape.

    File names and inputs can hold line breaks and control sequences. Printed as they are, they would rewrite a terminal
    or add a line of their own to the log of a CI system.

    >>> visible("a\n::error::b\x1b[31m")
    'a\\n::error::b\\x1b[31m'
    """
    shown = named(text)
    return no_command("".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in shown))


def no_command(line: str) -> str:
    r"""Return a line that no CI system takes for a command: these start with `::` or `##`, also behind white space.

    >>> no_command("  ::error::told")
    '  \\x3a:error::told'
    """
    start = len(line) - len(line.lstrip())
    return (
        f"{line[:start]}\\x{ord(line[start]):x}{line[start + 1 :]}" if line[start:].startswith(("::", "##")) else line
    )


def _from_here(file: str) -> str:
    """Return a path below the working directory as a relative path."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_absolute() and path.is_relative_to(Path.cwd()) else file


class UsageError(ConstraintSdcError):
    """An option, argument or recipe is invalid."""


class RulesError(ConstraintSdcError):
    """A file of rules cannot be processed."""


class DataError(ConstraintSdcError):
    """A microdata or XML file cannot be processed."""


class NotRowsError(DataError):
    """The file is XML without flat rows (or stops being rows): no records, a nested element, a variable given twice.

    `check` catches it and judges the file as a document; every command that needs rows reports it.
    """


class NoRecordsError(NotRowsError):
    """Nothing is inside the root element, whose name is `root`."""

    def __init__(self, root: str, *, file: str) -> None:
        hint = "it needs at least one: a table has a row below its header"
        super().__init__("the file has no records: nothing is inside its root element", file=file, hint=hint)
        self.root = root


class ChangedFileError(DataError):
    """A file is not as it was when the run first read it: nothing is judged, written or certified by two versions."""


class ResourceRefusedError(ConstraintSdcError):
    """A rule asked for a file outside the allowed directories."""


class JudgeError(ConstraintSdcError):
    """Saxon did not finish: a time limit, a crash, or an error outside any rule."""


class EngineError(ConstraintSdcError):
    """Workers could not finish their work: they died again and again, or the scheduler of a cluster went away."""


class LimitError(ConstraintSdcError):
    """A command would take more time or memory than its limits allow; see `limits`."""


class PlanRefusedError(ConstraintSdcError):
    """The plan refuses: the message names the rule or variable, and a way out.

    `conflict` is what the refusal is about, if it is about rules. `ways` were tried on the data and work; `advice` are
    lines about what was tried.
    """

    exit_code = 3

    def __init__(
        self,
        what: str,
        *,
        hint: str | None = None,
        conflict: Conflict | None = None,
        advice: tuple[str, ...] = (),
        ways: tuple[WayOut, ...] = (),
    ) -> None:
        super().__init__(what, hint=hint)
        self.conflict = conflict
        self.advice = advice
        self.ways = ways

    def __str__(self) -> str:
        return "\n  ".join((super().__str__(), *map(visible, self.advice)))


class CannotShareError(PlanRefusedError):
    """Records that would have to share values cannot: their unmasked variables (`others`) require different ones."""

    def __init__(
        self,
        what: str,
        *,
        others: tuple[str, ...],
        hint: str | None = None,
        conflict: Conflict | None = None,
        advice: tuple[str, ...] = (),
        ways: tuple[WayOut, ...] = (),
    ) -> None:
        super().__init__(what, hint=hint, conflict=conflict, advice=advice, ways=ways)
        self.others = others


class NotTrustedError(ConstraintSdcError):
    """A certificate is not signed by a trusted key, or not for these files: nothing that it says is believed."""

    exit_code = 1


class NotPublishedError(ConstraintSdcError):
    """The staged file failed: a rule that must hold is broken, or fewer than k records share values.

    Nothing is written to the final name. `details` say what failed and where, one line each. `conflict` are the rules
    that would be broken. `ways` were tried on the data and work; `advice` are lines about what was tried.
    """

    exit_code = 1

    def __init__(
        self,
        what: str,
        *,
        details: tuple[str, ...] = (),
        file: str | None = None,
        conflict: Conflict | None = None,
        advice: tuple[str, ...] = (),
        ways: tuple[WayOut, ...] = (),
    ) -> None:
        super().__init__(what, file=file)
        self.details = details
        self.conflict = conflict
        self.advice = advice
        self.ways = ways

    def __str__(self) -> str:
        return "\n  ".join((super().__str__(), *map(visible, (*self.details, *self.advice))))
