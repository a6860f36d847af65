"""What `plan` and `mask` write of goals besides the masked file: a chart for each, and the pairs that were swapped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.errors import UsageError
from constraint_sdc.files.atomic import require_folder, require_place
from constraint_sdc.maskers.masked import Masked
from constraint_sdc.plan.plan import Plan
from constraint_sdc.schematron.confinement import real_path
from constraint_sdc.settings.masker import MaskerTraits


@dataclass(frozen=True, slots=True)
class GoalFiles:
    """Where they go: a directory for the charts, a file for the pairs; None is nowhere."""

    charts: Path | None = None
    pairs: Path | None = None

    def require(self, masker: MaskerTraits, overwrite: bool, taken: Sequence[Path | None] = ()) -> None:
        """Refuse, before anything is computed, files that cannot be written or that another masker has none of.

        `taken` are the files of the masking itself, inputs and outputs.
        """
        if self.charts is None and self.pairs is None:
            return
        if not masker.goal_count:
            option = "--pairs" if self.charts is None else "--charts"
            what = f"{option} has no meaning with {masker.name}"
            raise UsageError(what, hint="it shows the goals of a masker that has some; leave the option out")
        targets = [] if self.pairs is None else [self.pairs]
        if self.charts is not None:
            refuse_taken(self.charts, (*taken, *targets))
            require_folder(self.charts)
            targets += [self.charts / f"goal-{number}.svg" for number in range(1, masker.goal_count + 1)]
        for place, path in enumerate(targets):
            refuse_taken(path, (*taken, *targets[:place]))
            if self.charts is None or path.parent != self.charts or self.charts.exists():
                require_place(path, overwrite)

    def contents(self, plan: Plan, masked: Masked | None = None) -> dict[Path, bytes]:
        """Return what is to be written, by path."""
        files: dict[Path, bytes] = {}
        if self.pairs is not None and masked is not None:
            from constraint_sdc.reports.masking.goal_text import render_swaps_csv

            files[self.pairs] = render_swaps_csv(masked.swaps).encode("utf-8")
        if self.charts is not None:
            from constraint_sdc.reports.charts.before_after import chart_name, render_goal_svg

            for goal in plan.all_goals():
                files[self.charts / chart_name(goal)] = render_goal_svg(goal).encode("utf-8")
        return files


def refuse_taken(path: Path, taken: Sequence[Path | None]) -> None:
    """Refuse a file that is an input or an output of the masking itself, under whatever name."""
    for other in taken:
        if other is not None and real_path(path) == real_path(other):
            raise UsageError("the masking uses this file already", file=str(path), hint="choose another name")
