"""One piece of work by the name of its function, and what comes of it: a result, or an error that travels whole."""

from __future__ import annotations

import builtins
import importlib
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from constraint_sdc.engines.parcel import packed, packed_bytes, unpacked
from constraint_sdc.errors import EngineError

_PACKAGE = __name__.partition(".")[0]


def name_of(function: Callable[[Any], Any]) -> str:
    """Return the name "module:function" by which a worker imports a function.

    ValueError for everything that a worker cannot import from this package: lambdas, inner functions, methods and
    functions of other packages.

    >>> name_of(name_of)
    'constraint_sdc.engines.task:name_of'
    """
    module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
    if module.partition(".")[0] != _PACKAGE or not name.isidentifier():
        raise ValueError(f"{function!r} is not a function at the top of a module of {_PACKAGE}")
    if getattr(importlib.import_module(module), name, None) is not function:
        raise ValueError(f"{function!r} is not what {module}.{name} stands for")
    return f"{module}:{name}"


def function_of(name: str) -> Callable[[Any], Any]:
    """Return the function of a name; ValueError for one outside this package."""
    module, _, attribute = name.partition(":")
    if module.partition(".")[0] != _PACKAGE or not attribute.isidentifier():
        raise ValueError(f"{name!r} is not a function of {_PACKAGE}")
    found: Callable[[Any], Any] = getattr(importlib.import_module(module), attribute)
    name_of(found)
    return found


def import_ahead(module: str) -> None:
    """Import a module of this package, so that the first piece need not."""
    if module.partition(".")[0] != _PACKAGE:
        raise ValueError(f"{module!r} is not a module of {_PACKAGE}")
    importlib.import_module(module)


@dataclass(frozen=True, slots=True)
class TravellingError:
    """An error of a piece on its way to the caller: its class, what it holds, and where it was raised."""

    module: str
    name: str
    arguments: tuple[Any, ...]
    held: dict[str, Any]
    trace: str


def outcome(name: str, piece: Any) -> list[bytes | memoryview]:
    """Return (True, result) or (False, TravellingError) of a function applied to a piece, packed."""
    try:
        return packed((True, function_of(name)(piece)))
    except Exception as error:
        return packed((False, travelling(error)))


def travelling(error: Exception) -> TravellingError:
    """Return an error in a form that can be sent; one that cannot becomes an EngineError with its text."""
    kind, trace = type(error), traceback.format_exc()
    arguments = (error.errno, error.strerror, error.filename) if isinstance(error, OSError) else error.args
    found = TravellingError(kind.__module__, kind.__qualname__, arguments, dict(vars(error)), trace)
    try:
        unpacked(packed_bytes(found))
        return found
    except Exception:
        return TravellingError("builtins", "RuntimeError", (f"{kind.__name__}: {error}",), {}, trace)


def raised(found: TravellingError) -> Exception:
    """Return the error as it was raised, with a note that says where; ours and Python's own keep their class."""
    kind: Any = None
    if found.module == "builtins":
        kind = getattr(builtins, found.name, None)
    elif found.module.partition(".")[0] == _PACKAGE:
        kind = getattr(importlib.import_module(found.module), found.name, None)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        error: Exception = RuntimeError(f"{found.name}: {found.arguments}")
    elif issubclass(kind, OSError):
        error = kind(*found.arguments)
    else:
        # Not through __init__, which takes other arguments than it hands on.
        error = kind.__new__(kind, *found.arguments)
        vars(error).update(found.held)
    error.add_note(f"In a worker:\n{found.trace}")
    return error


def result_of(is_fine: bool, found: Any) -> Any:
    """Return the result of an outcome, or raise its error."""
    if not is_fine:
        raise raised(found)
    return found


def lost(name: str, how: str, attempts: int) -> EngineError:
    """Return the error for a piece whose worker died at every attempt."""
    return EngineError(
        f"a worker that ran {name.rpartition(':')[2]} ended before it was finished ({how}), {attempts} times",
        hint="the memory of the machine may be too small: use fewer --workers, or --engine serial",
    )
