"""Thresholds of distortion: Chertov and Tavrov, Data group anonymity in microfiles, at the end of its last section.

Where the distortion of swaps would exceed a threshold, the dearest swaps are left out, and the goal is missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from constraint_sdc.arrays import Codes, Counts
from constraint_sdc.maskers.group_anonymity.swaps import SwapTrace

_ROUNDED_UP = 1.0 + 1e-12  # the same numbers in another order have another sum


def cut(trace: SwapTrace, codes: Codes, threshold: float | None) -> SwapTrace:
    """Return the trace without its dearest swaps, as many as the threshold asks for; ties stay in file order.

    `codes` is the parameter before the swaps.
    """
    if threshold is None or trace.total <= threshold * _ROUNDED_UP:
        return trace
    order = np.argsort(trace.costs, kind="stable")
    number = int(np.searchsorted(np.cumsum(trace.costs[order]), threshold * _ROUNDED_UP, "right"))
    kept = np.sort(order[:number])
    rows, others = trace.vital[kept], trace.others[kept]
    achieved: Counts = trace.before - _counted(codes[rows], trace) + _counted(codes[others], trace)
    left_out = len(trace.vital) - len(kept)
    return replace(
        trace,
        vital=rows,
        others=others,
        costs=trace.costs[kept],
        achieved=achieved,
        is_exact=False,
        left_out=left_out,
    )


def _counted(codes: Codes, trace: SwapTrace) -> Counts:
    return np.bincount(codes, minlength=len(trace.wished)).astype(np.int64)


def shared(traces: Sequence[SwapTrace], weights: Sequence[float], threshold: float) -> list[float] | None:
    """Return how much each goal may distort so that the weighted total stays within the threshold; None if it does.

    Over all goals the swaps with the largest weighted cost are left out first.
    """
    costs = np.concatenate([weight * trace.costs for trace, weight in zip(traces, weights, strict=True)])
    if float(costs.sum()) <= threshold * _ROUNDED_UP:
        return None
    goal = np.repeat(np.arange(len(traces)), [len(trace.costs) for trace in traces])
    order = np.argsort(costs, kind="stable")
    kept = order[: int(np.searchsorted(np.cumsum(costs[order]), threshold, "right"))]
    own = np.concatenate([trace.costs for trace in traces])
    return [float(each) for each in np.bincount(goal[kept], own[kept], len(traces))]
