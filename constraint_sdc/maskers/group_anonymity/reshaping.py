"""Changes of trend, period, amplitude and statistics: Chertov and Tavrov, Data group anonymity in microfiles, table 2.

The paper names them; the definitions here are ours. Trend, period, amplitude and cycle keep the mean of the signal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from constraint_sdc.arrays import Counts, Floats
from constraint_sdc.maskers.group_anonymity.signals import require_signal

_STEPS = 200
_SMALL_GAIN = 1e-10
_CLOSE = 1e-10  # of a standard deviation of the parameter


class SignalChange(Protocol):
    """What makes another signal of a signal."""

    def apply(self, signal: Floats) -> Floats:
        """Return the changed signal; ValueError if the change does not fit it."""
        ...


@dataclass(frozen=True)
class ChangeTrend:
    """The least-squares polynomial over the places is multiplied by a factor or replaced; residuals stay.

    Places are counted from the middle of the signal; `coefficients` belong to x, x^2, ...

    >>> ChangeTrend(1, factor=-1.0).apply(np.array([1.0, 2.0, 3.0, 6.0])).round(9).tolist()
    [5.8, 3.6, 1.4, 1.2]
    """

    degree: int
    factor: float | None = None
    coefficients: tuple[float, ...] = ()

    def apply(self, signal: Floats) -> Floats:
        """Return the residuals around the new trend."""
        require_signal(signal)
        if self.degree >= len(signal):
            raise ValueError(f"a trend of degree {self.degree} needs a signal of more than {self.degree} values")
        x = np.arange(len(signal)) - (len(signal) - 1) / 2.0
        trend = np.polynomial.Polynomial.fit(x, signal, self.degree)(x)
        if self.factor is not None:
            stretched: Floats = signal + (self.factor - 1.0) * (trend - trend.mean())
            return stretched
        new = np.polynomial.Polynomial([0.0, *self.coefficients])(x)
        changed: Floats = signal - trend + trend.mean() + new - new.mean()
        return changed


def _pattern(signal: Floats, period: int) -> Floats:
    """Return what repeats itself: the mean of every phase, less the mean of the phases."""
    if 2 * period > len(signal):
        raise ValueError(f"a period of {period} does not repeat itself in {len(signal)} values; at most half of them")
    means = np.array([signal[phase::period].mean() for phase in range(period)])
    pattern: Floats = means - means.mean()
    return pattern


@dataclass(frozen=True)
class ChangePeriod:
    """What repeats itself with one period is replaced by the same shape with another; the rest stays.

    Between phases the shape is interpolated linearly, from the last phase to the first too.
    """

    source: int
    target: int

    def apply(self, signal: Floats) -> Floats:
        """Return the signal with the other period."""
        require_signal(signal)
        pattern = _pattern(signal, self.source)
        places = np.arange(len(signal))
        phases = (places % self.target) * (self.source / self.target)
        new = np.interp(phases, np.arange(self.source + 1), [*pattern, pattern[0]])
        old = pattern[places % self.source]
        changed: Floats = signal - old + new - (new.mean() - old.mean())
        return changed


@dataclass(frozen=True)
class ChangeAmplitude:
    """What repeats itself is multiplied by a factor; without a period, all distances from the mean are.

    >>> ChangeAmplitude(0.5).apply(np.array([1.0, 5.0])).tolist()
    [2.0, 4.0]
    """

    factor: float
    period: int | None = None

    def apply(self, signal: Floats) -> Floats:
        """Return the stretched signal."""
        require_signal(signal)
        part = signal if self.period is None else _pattern(signal, self.period)[np.arange(len(signal)) % self.period]
        stretched: Floats = signal + (self.factor - 1.0) * (part - part.mean())
        return stretched


@dataclass(frozen=True)
class AddCycle:
    """Adds a cosine of a period and a height with a crest at a place, less its mean."""

    period: int
    height: float
    at: int

    def apply(self, signal: Floats) -> Floats:
        """Return the signal with the wave."""
        require_signal(signal)
        wave = self.height * np.cos(2.0 * np.pi * (np.arange(len(signal)) - self.at) / self.period)
        changed: Floats = signal + wave - wave.mean()
        return changed


@dataclass(frozen=True)
class InPart:
    """A change of the part of a signal from one place to another, both included."""

    change: SignalChange
    first: int
    last: int

    def apply(self, signal: Floats) -> Floats:
        """Return the signal with that part changed."""
        require_signal(signal)
        if self.first >= self.last:
            raise ValueError("`within` must go from a value to one that stands to the right of it")
        changed = signal.copy()
        changed[self.first : self.last + 1] = self.change.apply(signal[self.first : self.last + 1])
        return changed


@dataclass(frozen=True)
class ChangeStatistics:
    """Vital records are redistributed so that the parameter has this mean and deviation among them.

    `values` are the numbers of the parameter, `base` and `reference` make counts of a concentration or a difference
    (None for quantities). Of all distributions with these moments it is the one of least relative entropy from the
    present one, q exp(a + b v + c v^2): no count becomes negative, and values without a vital record keep none.
    """

    values: Floats
    mean: float | None = None
    deviation: float | None = None
    base: Counts | None = None
    reference: Floats | None = None

    def apply(self, signal: Floats) -> Floats:
        """Return the signal of the redistributed records."""
        require_signal(signal)
        counts = self._counts(signal)
        if counts.min() < -1e-9 or counts.sum() <= 0:
            raise ValueError("statistics need a signal whose counts are at least 0; leave out the changes before it")
        counts = np.maximum(counts, 0.0)
        return self._signal(counts.sum() * tilted(counts / counts.sum(), self.values, self.mean, self.deviation))

    def _counts(self, signal: Floats) -> Floats:
        if self.base is None:
            return signal
        counts: Floats = (signal if self.reference is None else signal + self.reference) * self.base
        return counts

    def _signal(self, counts: Floats) -> Floats:
        if self.base is None:
            return counts
        shares = np.divide(counts, self.base, out=np.zeros(len(counts)), where=self.base > 0)
        return shares if self.reference is None else shares - self.reference


def tilted(shares: Floats, values: Floats, mean: float | None, deviation: float | None) -> Floats:
    """Return the shares with this mean and standard deviation of the values; None for the present mean, any deviation.

    Newton's method on the convex dual; ValueError if no distribution over the values that occur has these moments.
    """
    present = float(shares @ values)
    spread = float(np.sqrt(shares @ (values - present) ** 2))
    if spread == 0.0:
        raise ValueError("all vital records have the same value of the parameter, so no other can be given to them")
    wished = present if mean is None else mean
    z = (values - present) / spread
    target = [(wished - present) / spread]
    features = [z]
    if deviation is not None:
        features.append(z**2)
        target.append((deviation / spread) ** 2 + target[0] ** 2)
    found = _solved(shares, np.column_stack(features), np.array(target))
    if found is None:
        what = f"mean {wished:g}" + ("" if deviation is None else f" and standard deviation {deviation:g}")
        raise ValueError(f"no distribution over the values that vital records have has {what}")
    return found


def _solved(shares: Floats, features: Floats, target: Floats) -> Floats | None:
    """Return the exponential tilt of the shares whose expected features are the target, None if there is none."""
    turn = np.zeros(len(target))
    for _ in range(_STEPS):
        tilt = _tilt(shares, features, turn)
        off = tilt @ features - target
        if np.abs(off).max() <= _CLOSE * max(1.0, float(np.abs(target).max())):
            return tilt
        centred = features - tilt @ features
        curvature = (centred * tilt[:, None]).T @ centred
        step: Floats = np.linalg.lstsq(curvature, off, rcond=None)[0].astype(np.float64)
        length = _length(shares, features, turn, step, target, float(off @ step))
        if length is None:
            return None
        turn = turn - length * step
    return None


def _length(shares: Floats, features: Floats, turn: Floats, step: Floats, target: Floats, gain: float) -> float | None:
    """Return how far to go along Newton's step, None if nowhere; the last steps gain less than rounding can tell."""
    now = _dual(shares, features, turn, target)
    if gain <= _SMALL_GAIN * max(1.0, abs(now)):
        return 1.0
    length = 1.0
    while _dual(shares, features, turn - length * step, target) > now - 1e-4 * length * gain:
        length /= 2.0
        if length < 1e-12:
            return None
    return length


def _tilt(shares: Floats, features: Floats, turn: Floats) -> Floats:
    power = features @ turn
    weights = shares * np.exp(power - power[shares > 0].max())
    tilt: Floats = weights / weights.sum()
    return tilt


def _dual(shares: Floats, features: Floats, turn: Floats, target: Floats) -> float:
    power = features @ turn
    largest = power[shares > 0].max()
    return float(np.log((shares * np.exp(power - largest)).sum()) + largest - turn @ target)
