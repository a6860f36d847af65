"""What plan, recipe and reports know about a masker: its parameters and its traits.

Every masker guarantees that rules which held still hold. That k records share their values is a separate guarantee,
which not every masker gives; see `docs/maskers`, one page each. The maskers themselves are in `maskers/`, found by name
through `maskers/registry.py`; nothing outside their folders and the registry names one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from constraint_sdc.errors import UsageError
from constraint_sdc.plugins import Registry, load
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Treatment

if TYPE_CHECKING:
    from constraint_sdc.settings.recipe import Recipe

M = TypeVar("M", bound="MaskerTraits")

RecipeMistake: TypeAlias = tuple[str, list[str | int]]
"""What is wrong, and the path to the entry of the recipe."""


class MaskerTraits:
    """The parameters (dataclass fields made by `parameter`) and traits of a masker; the defaults are common ones.

    Traits describe what to expect and are never trusted: the judge, the reading back and the count of k follow in any
    case.
    """

    name: str  # of the class; only one that is not installed has it for each value
    guarantee: ClassVar[str]
    """What it guarantees besides the rules, in one sentence."""
    draws_at_random: ClassVar[bool] = False
    """The values of a record are drawn at random, so the seed must stay secret."""
    divides_itself: ClassVar[bool] = False
    """It takes no partition: it forms groups in its own way, or none."""
    gives_own_values: ClassVar[bool] = False
    """Records of a group get values of their own; k is the size of the groups, not the number that share values."""
    takes_k: ClassVar[bool] = True
    least_k: ClassVar[int] = 2
    takes_weights: ClassVar[bool] = True
    """Records may be weighted by a variable."""
    takes_standardise: ClassVar[bool] = True
    """The unit of numbers in distances matters."""
    has_geometric_mean: ClassVar[bool] = False
    names_variables: ClassVar[bool] = False
    """Its parameters name the variables to be masked; rules add no others."""
    computes_totals: ClassVar[bool] = True
    """A variable that an equality determines may be computed for every record from its masked parts."""
    recounts: ClassVar[bool] = False
    """It can count in a masked file what its plan certifies besides k."""
    together: ClassVar[Reason | None] = None
    """Why all variables are in one block where the recipe does not group them; None if they are not."""
    sentences: ClassVar[Mapping[str, str]] = {}
    """Templates for the reasons of a third-party masker, by code: `distribution:code`."""

    @property
    def shares_values(self) -> bool:
        """Tell whether at least k records share each representative."""
        return True

    @property
    def repairs_linear_rules(self) -> bool:
        """Tell whether records that break a linear rule are masked as if they satisfied it, and satisfy it then."""
        return False

    @property
    def kept_variables(self) -> Mapping[str, Reason]:
        """Return variables that stay as they are and take part in distances, each with the reason."""
        return {}

    @property
    def goal_count(self) -> int:
        """Return the number of goals, each of which is reported separately."""
        return 0

    def treats_records(self, names: Collection[str], partition: str) -> bool:
        """Tell whether every record of a block of these variables gets values of its own."""
        return self.gives_own_values

    def own_treatment(self, *, is_average: bool) -> Treatment:
        """Return the treatment of a variable where every record gets values of its own."""
        return Treatment.AGGREGATED

    def microaggregates(self, treatments: Collection[Treatment]) -> bool:
        """Tell whether a block of variables so treated is microaggregated by the partition method."""
        return False

    def refuse_cluster(self, names: Sequence[str], k: int) -> None:
        """Raise PlanRefusedError if k records are too few to synthesise these variables of a block."""

    def own_partition(self, sizes: Sequence[int], k: int) -> Reason:
        """Return how it divides strata of these sizes; asked only of a masker that divides itself."""
        return because("partition-method", partition=self.name)

    def warnings(self, k: int, partition: str) -> tuple[Reason, ...]:
        """Return the risks that the user must see, the most serious first."""
        return ()

    def mistakes(self, recipe: Recipe, written: Mapping[str, Any]) -> Iterator[RecipeMistake]:
        """Yield the entries of a recipe that contradict the masker; `written` is the recipe's content as read."""
        yield from ()

    def told(self) -> dict[str, object]:
        """Return the parameters as JSON values, as `mask` of a recipe has them; None and empty lists are left out."""
        found = {one.name: one.write(getattr(self, one.name)) for one in parameters(type(self))}
        return {name: value for name, value in found.items() if value is not None and value != []}


# Parameters are fields of the masker: what a recipe may give, and how it is converted to a value and back.


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class MaskerParameter:
    """One parameter: the JSON schema of its value in a recipe, how it is read, and how it is written."""

    name: str
    schema: Mapping[str, Any]
    read: Callable[[Any], Any]
    write: Callable[[Any], Any]
    is_required: bool


def parameter(
    schema: Mapping[str, Any],
    *,
    default: Any = MISSING,
    read: Callable[[Any], Any] = _same,
    write: Callable[[Any], Any] = _same,
) -> Any:
    """Return a dataclass field that is a parameter; without a default it is required."""
    metadata = {"schema": schema, "read": read, "write": write}
    return field(metadata=metadata) if default is MISSING else field(default=default, metadata=metadata)


def number(description: str, default: float) -> Any:
    """Return a parameter that is a number of at least 0; a number with a point is a text, as everywhere in recipes."""
    pattern = "^[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$"
    schema = {"description": description, "type": ["integer", "string"], "pattern": pattern, "minimum": 0}
    return parameter(schema, default=default, read=float, write=repr)


def flag(description: str, default: bool = False) -> Any:
    """Return a parameter that is true or false."""
    return parameter({"description": description, "type": "boolean"}, default=default)


def variables(description: str) -> Any:
    """Return a parameter that is a list of variables, by default none."""
    name = {"type": "string", "minLength": 1}
    schema = {"description": description, "type": "array", "items": name, "minItems": 1, "uniqueItems": True}
    return parameter(schema, default=(), read=tuple, write=list)


def parameters(masker: type[MaskerTraits]) -> tuple[MaskerParameter, ...]:
    """Return the parameters of a masker, in order."""
    declared: tuple[Field[Any], ...] = fields(masker) if is_dataclass(masker) else ()
    return tuple(_parameter(one) for one in declared if "schema" in one.metadata)


def _parameter(one: Field[Any]) -> MaskerParameter:
    is_required = one.default is MISSING and one.default_factory is MISSING
    return MaskerParameter(one.name, one.metadata["schema"], one.metadata["read"], one.metadata["write"], is_required)


def make_masker(kind: type[M], told: Mapping[str, Any]) -> M:
    """Return the masker with these parameters, which follow their schemas; UsageError if a required one is missing."""
    for one in parameters(kind):
        if one.is_required and one.name not in told:
            hint = f"in a recipe: `mask: {{masker: {kind.name}, {one.name}: ...}}`, see docs/maskers/{kind.name}.md"
            raise UsageError(f"{kind.name} needs its parameter {one.name}", hint=hint)
    return kind(**{one.name: one.read(told[one.name]) for one in parameters(kind) if one.name in told})


# Maskers by name, for the rooms below them.


def masker_registry() -> Registry[type[MaskerTraits]]:
    """Return the registry of maskers; it is above this room, and found by name as a plug-in is."""
    registry: Registry[type[MaskerTraits]] = load("constraint_sdc.maskers.registry:MASKERS")
    return registry


def default_masker() -> Any:
    """Return the masker of a run that names none."""
    return load("constraint_sdc.maskers.registry:default_masker")()


@dataclass(frozen=True)
class UnknownMasker(MaskerTraits):
    """A masker of a saved plan or certificate that is not installed here: its saved parameters, without traits."""

    guarantee = "Not known: the masker is not installed."

    name: str
    values: Mapping[str, object]

    def told(self) -> dict[str, object]:
        """Return the parameters as they were saved."""
        return dict(self.values)


def masker_to_json(masker: MaskerTraits) -> dict[str, object]:
    """Return a masker and its parameters in their form in plans and certificates."""
    return {"masker": masker.name, **masker.told()}


def masker_from_json(content: Mapping[str, Any]) -> MaskerTraits:
    """Return the masker from an entry of a plan."""
    told = {name: value for name, value in content.items() if name != "masker"}
    maskers = masker_registry()
    if content["masker"] not in maskers:
        return UnknownMasker(content["masker"], told)
    return make_masker(maskers[content["masker"]], told)
