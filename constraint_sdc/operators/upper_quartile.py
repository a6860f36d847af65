"""The upper quartile: the value that three quarters of the group's values do not exceed."""

from __future__ import annotations

from constraint_sdc.operators.order_statistic import OrderStatistic

REGISTERED = {"upper quartile": OrderStatistic("upper quartile", 3, 4)}
