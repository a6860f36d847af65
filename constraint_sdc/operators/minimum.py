"""The minimum: the smallest value of the group."""

from __future__ import annotations

from constraint_sdc.operators.order_statistic import OrderStatistic

REGISTERED = {"minimum": OrderStatistic("minimum", 0, 1)}
