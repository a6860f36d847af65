"""What the verbs for data frames return: frames of the kind that was given, beside the results of the same commands."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from constraint_sdc.files.frames.frame_backend import FrameBackend
from constraint_sdc.files.frames.frames import frame_of_rows
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.maskers.masked import MaskResult, RuleOutcome
from constraint_sdc.measures.assessment import Assessment
from constraint_sdc.plan.plan import Plan
from constraint_sdc.plan.promised import PromiseCount
from constraint_sdc.shown import Tabled, sheet_of


class FrameFiles(Protocol):
    """What a masked frame keeps of its masking, to be written or measured when a user asks for it."""

    def save(self, path: Path, *, overwrite: bool) -> None:
        """Write the masked table and its certificate."""
        ...

    def measure(self, page: Path | None, *, overwrite: bool) -> Assessment:
        """Compare the masked table with its original; with `page`, write the HTML page."""
        ...


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MaskedFrame(Tabled):
    """A data frame that was masked, judged and counted like a file.

    `frame` is of the kind that was given. `result` is what `mask_file` returns: its files are named by words, because
    they are gone. `certificate` is the content of the certificate, about the Arrow file that `save` writes.
    """

    frame: Any
    result: MaskResult
    certificate: dict[str, Any]
    backend: FrameBackend
    files: FrameFiles

    @property
    def plan(self) -> Plan:
        """Return how the frame was masked, with the price of every block."""
        return self.result.plan

    @property
    def outcomes(self) -> tuple[RuleOutcome, ...]:
        """Return every rule before and after masking."""
        return self.result.outcomes

    @property
    def people(self) -> tuple[PromiseCount, ...]:
        """Return the promises about people, counted in the masked table."""
        return self.result.people

    @property
    def smallest(self) -> tuple[int, ...]:
        """Return, per block, the smallest number of records that share its values, counted in the masked table."""
        return self.result.smallest

    def to_frame(self, table: str | None = None) -> Any:
        """Return a table of the result as a frame of the kind that was given: "rules" (the default) or "blocks"."""
        return frame_of_rows(*sheet_of(self, table), self.backend)

    def report(self, page: str | PathLike[str] | None = None, *, overwrite: bool = False) -> Assessment:
        """Compare the masked frame with its original, as `assess` does; with `page`, write the HTML page to that file.

        The original is the one that was masked, whatever became of the caller's frame since.
        """
        return self.files.measure(None if page is None else Path(page), overwrite=overwrite)

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the very bytes that were judged, and the certificate beside them; return the path.

        The name ends in `.arrow` or `.feather`. `verify_certificate` checks the file.
        """
        self.files.save(Path(path), overwrite=overwrite)
        return Path(path)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CheckedFrame(Tabled):
    """The verdict on a data frame; tables are frames of the kind that was given, those of pandas for a file."""

    result: CheckResult
    backend: FrameBackend

    @property
    def exit_code(self) -> int:
        """0 clean, 1 violations, 2 a rule could not be evaluated or is idle, or nothing was checked."""
        return self.result.exit_code

    @property
    def records(self) -> int | None:
        """Return the number of records."""
        return self.result.records

    @property
    def violations(self) -> Any:
        """Return a frame with one row for each violation: rule, record (the first row is 1), variables and message."""
        return self.to_frame("violations")

    def to_frame(self, table: str | None = None) -> Any:
        """Return a table of the result: "violations" (the default), "rules" or "records"."""
        return frame_of_rows(*sheet_of(self, table), self.backend)
