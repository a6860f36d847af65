"""The maximum: the largest value of the group."""

from __future__ import annotations

from constraint_sdc.operators.order_statistic import OrderStatistic

REGISTERED = {"maximum": OrderStatistic("maximum", 1, 1)}
