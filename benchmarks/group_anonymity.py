"""How near to the least distortion the swaps of group anonymity are: beside the optimum, and beside a proven bound.

    .venv/bin/python benchmarks/group_anonymity.py [--records 100000] [--share 0.05 0.2] [--docs]

Small files: the method for many pairs and the exact one choose swaps for the same wish. A large file: the method is
compared with a lower bound that linear duality proves over ALL pairs, whatever was proposed. `--docs` rewrites the
section of docs/maskers/group-anonymity.md; without it nothing is written.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from sections import write_section

from constraint_sdc.arrays import Codes, Counts, Flags, Floats, Rows
from constraint_sdc.maskers.group_anonymity.goal_signal import whole_counts
from constraint_sdc.maskers.group_anonymity.influence import Influence, Nominal, Ordinal, Quotas
from constraint_sdc.maskers.group_anonymity.optimal_swaps import Solution, proposals, solve
from constraint_sdc.maskers.group_anonymity.signals import quantity
from constraint_sdc.maskers.group_anonymity.swaps import SwapTrace, choose_swaps, embed

PAGE = Path(__file__).resolve().parents[1] / "docs" / "maskers" / "group-anonymity.md"
HEADING = "Measured"
VALUES = 16
ALWAYS, NEVER = 10**12, -1
CHUNK = 100  # vital records whose pairs with all others are weighed at a time
ROUNDS, CLOSE = 12, 1e-5


@dataclass(frozen=True)
class File:
    codes: Codes
    vital: Flags
    wished: Counts
    influence: Influence

    def swaps(self, exact_up_to: int) -> SwapTrace:
        everyone = np.ones(len(self.codes), np.bool_)
        return choose_swaps(self.codes, self.vital, everyone, self.wished, self.influence, exact_up_to=exact_up_to)

    def quotas(self) -> Quotas:
        surplus = quantity(self.codes, self.vital, VALUES) - self.wished
        giving = np.flatnonzero(self.vital & (surplus[self.codes] > 0))
        taking = np.flatnonzero(~self.vital & (surplus[self.codes] < 0))
        return Quotas(giving, taking, self.codes, np.maximum(surplus, 0), np.maximum(-surplus, 0))


def drawn_file(seed: int, records: int, share: float) -> File:
    """Return people with income, age, sex and a branch; the vital ones stand in two regions, and shall be elsewhere."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, VALUES, records)
    vital = random.random(records) < np.where(np.isin(codes, (3, 11)), 4 * share, share * 0.6)
    influence = Influence(
        (
            Ordinal(np.exp(random.normal(10, 0.7, records)).round(), 2.0),
            Ordinal(random.integers(18, 90, records).astype(np.float64)),
            Nominal(random.integers(0, 2, records)),
            Nominal(random.integers(0, 9, records), 0.5),
        )
    )
    before = quantity(codes, vital, VALUES)
    wished = before.astype(np.float64)
    wished[[3, 7]], wished[[11, 5]] = before[[7, 3]], before[[5, 11]]
    room = np.bincount(codes, minlength=VALUES)
    return File(codes, vital, whole_counts(wished, room, int(before.sum())).counts, influence)


def lower_bound(file: File, trace: SwapTrace) -> float:
    """Return what no choice of swaps can undercut, by duality: prices of a flow made right for every pair there is.

    With any prices of others and values, the best price of each vital record follows from its cheapest pair; the sum is
    a bound. Pairs that the prices value too low join the flow, until the bound is close to the cost.
    """
    quotas, number = file.quotas(), len(trace.vital)
    near, partners = proposals(embed(file.influence, np.arange(len(file.codes))), quotas, 16)
    pairs = np.unique(np.column_stack([np.append(near, trace.vital), np.append(partners, trace.others)]), axis=0)
    best = 0.0
    for _ in range(ROUNDS):
        costs = file.influence.cost(pairs[:, 0], pairs[:, 1])
        flow = solve(quotas, pairs[:, 0], pairs[:, 1], costs, number=number)
        bound, joining = _priced(file, quotas, flow, number)
        best = max(best, bound)
        if best >= (1 - CLOSE) * trace.total or not len(joining):
            break
        pairs = np.unique(np.concatenate([pairs, joining]), axis=0)
    return best


def _priced(file: File, quotas: Quotas, flow: Solution, number: int) -> tuple[float, Rows]:
    """Return the bound of the flow's prices, and of every vital record the few pairs that they value too low."""
    others = _spread(flow, "other", quotas.others) + _spread(flow, "target", file.codes[quotas.others])
    own = _spread(flow, "source", file.codes[quotas.vital]) + flow.of_pair
    bound = number * flow.of_pair + _spread(flow, "other", quotas.others).sum()
    for name, quota in (("source", quotas.surplus), ("target", quotas.deficit)):
        known, prices = flow.of_row[name]
        bound += float(np.dot(prices, quota[known]))
    joining: list[Rows] = []
    for start in range(0, len(quotas.vital), CHUNK):
        rows = quotas.vital[start : start + CHUNK]
        slack = file.influence.matrix(rows, quotas.others) - others[None, :] - own[start : start + CHUNK, None]
        bound += float(np.minimum(slack.min(axis=1), 0.0).sum())
        reach = _spread(flow, "row", rows)
        cheapest = np.argpartition(slack, 4, axis=1)[:, :4]
        low = np.take_along_axis(slack, cheapest, axis=1) < reach[:, None] - 1e-12
        joining.append(np.column_stack([np.repeat(rows, 4)[low.ravel()], quotas.others[cheapest[low]]]))
    return bound, np.concatenate(joining)


def _spread(flow: Solution, name: str, keys: Rows) -> Floats:
    """Return the price of each key; 0, which is always a right price, where the flow does not know it."""
    known, prices = flow.of_row[name]
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[place] == keys, prices[place], 0.0)


def small(cases: int, records: int, share: float) -> str:
    ratios, swaps = [], []
    for seed in range(cases):
        file = drawn_file(seed, records, share)
        exact, near = file.swaps(ALWAYS), file.swaps(NEVER)
        if len(exact.vital) != len(near.vital):
            raise SystemExit(f"seed {seed}: {len(near.vital)} swaps in place of {len(exact.vital)}")
        ratios.append(near.total / exact.total)
        swaps.append(len(exact.vital))
    over = [100 * (ratio - 1) for ratio in ratios]
    return (
        f"- {cases} files of {records:,} records, {np.mean(swaps):.0f} swaps on average: the method for many pairs "
        f"costs {np.mean(over):.3f} % more than the exact optimum on average, {max(over):.3f} % at worst. It finds "
        f"the optimum in {sum(o < 1e-9 for o in over)} files."
    )


def large(records: int, share: float) -> str:
    file = drawn_file(1, records, share)
    start = perf_counter()
    trace = file.swaps(NEVER)
    seconds = perf_counter() - start
    start = perf_counter()
    bound = lower_bound(file, trace)
    proof = perf_counter() - start
    above = max(100 * (trace.total / bound - 1), 0.0)
    return (
        f"- {records:,} records: {len(trace.vital):,} swaps among {file.quotas().pairs:,} pairs chosen in "
        f"{seconds:.1f} s, at most {above:.4f} % above the least possible distortion (proven over all pairs in "
        f"{proof:.0f} s)."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--share", type=float, nargs="+", default=[0.05], help="vital records among all, roughly")
    parser.add_argument("--cases", type=int, default=20)
    parser.add_argument("--docs", action="store_true", help=f"rewrite the section of {PAGE.name}")
    options = parser.parse_args()
    lines = [small(options.cases, 600, share) for share in (0.05, 0.2)]
    lines += [large(options.records, share) for share in options.share]
    print("\n".join(lines))
    if options.docs:
        told = "Written by `benchmarks/group_anonymity.py --docs`. Times depend on the machine."
        write_section(PAGE, HEADING, "\n".join([told, "", *lines]))


if __name__ == "__main__":
    main()
