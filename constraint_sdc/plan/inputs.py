"""What a plan is made from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.model.cloud import Weights
from constraint_sdc.model.constraint import EditRule, Formula
from constraint_sdc.model.division import Division
from constraint_sdc.model.expression import Outside
from constraint_sdc.model.groups import Rows
from constraint_sdc.model.method import Method, Microaggregation
from constraint_sdc.model.policy import OnBroken
from constraint_sdc.model.recipe import Recipe
from constraint_sdc.model.table import Table


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """Everything a plan is made from.

    `evaluable` are the rules that can be evaluated on any record without Saxon; `broken` the records (0-based) that
    break a rule already; `says` each rule's normal form; `show` puts a formula into words. `joined` are variables to
    be masked with the rules that read them although nobody asked for it. `weights` say how much each record counts.
    `notes` are said in the plan as they are. `masker` is how the file is masked.
    """

    table: Table
    rules: tuple[EditRule, ...]
    recipe: Recipe
    k: int
    division: Division
    seed: int
    on_broken: OnBroken
    evaluable: Collection[str]
    broken: Mapping[str, Rows]
    domains: Mapping[Outside, Domain]
    says: Mapping[str, str]
    show: Callable[[Formula], str]
    weights: Weights | None = None
    joined: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    masker: Method = field(default_factory=Microaggregation)
