"""Every array type of the package, once, named for what the numbers mean.

An alias does not change what is stored: it says whether an array of integers holds row numbers, codes or counts.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

# One entry per record, group or variable.
Flags: TypeAlias = npt.NDArray[np.bool_]  # True where something holds
Rows: TypeAlias = npt.NDArray[np.int64]  # numbers of records in a table, from 0
Labels: TypeAlias = npt.NDArray[np.int64]  # the group of every record: 0, 1, ...
Codes: TypeAlias = npt.NDArray[np.int64]  # categories as numbers: equal codes for equal values
Classes: TypeAlias = npt.NDArray[np.int64]  # the class of every record; records of different classes share no group
Counts: TypeAlias = npt.NDArray[np.int64]  # how often something occurs
Parts: TypeAlias = npt.NDArray[np.int64]  # the part of a tree that a record is in
Integers: TypeAlias = npt.NDArray[np.int64]  # integer values of a variable
Floats: TypeAlias = npt.NDArray[np.float64]  # real values, or anything computed from them
Weights: TypeAlias = npt.NDArray[np.float64]  # how much every record counts
Points: TypeAlias = npt.NDArray[np.float64]  # records as points: one row per record, one column per coordinate
Distances: TypeAlias = npt.NDArray[np.float64]  # squared distances
Moves: TypeAlias = npt.NDArray[np.float64]  # steps on a grid, one row per proposal
WholeCosts: TypeAlias = npt.NDArray[np.int64]  # costs that are counted, not measured
Picked: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.bool_]  # records, by number or by flag
AnyIntegers: TypeAlias = npt.NDArray[np.signedinteger[Any]]  # integers of any width
ConditionBits: TypeAlias = npt.NDArray[np.uint64]  # one bit per condition that a record satisfies
AnyArray: TypeAlias = npt.NDArray[Any]  # numbers of any kind, where they are moved and not looked at

# Smaller types, where memory or speed decides.
Singles: TypeAlias = npt.NDArray[np.float32]  # single precision: decides where to look, never what is true
NeighbourLists: TypeAlias = npt.NDArray[np.int32]  # the nearest records of every record, one row each
SmallPositions: TypeAlias = npt.NDArray[np.int32]  # record numbers below 2^31
Worth: TypeAlias = npt.NDArray[np.uint16]  # how many things something serves, below 2^16
SmallCodes: TypeAlias = npt.NDArray[np.int32]  # codes or classes of records, below 2^31

# Text as bytes.
Bytes: TypeAlias = npt.NDArray[np.uint8]  # one UTF-8 buffer for many values
Spans: TypeAlias = npt.NDArray[np.int64]  # where in a buffer values begin or end
Positions: TypeAlias = npt.NDArray[np.intp]  # places in an array, as NumPy's searches return them
Words: TypeAlias = npt.NDArray[np.uint64]  # eight bytes at a time
TagIds: TypeAlias = npt.NDArray[np.int16]  # numbers of learnt tags
Keys: TypeAlias = npt.NDArray[Any]  # sortable keys of distinct texts
