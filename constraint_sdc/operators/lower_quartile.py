"""The lower quartile: the value that a quarter of the group's values do not exceed."""

from __future__ import annotations

from constraint_sdc.operators.order_statistic import OrderStatistic

REGISTERED = {"lower quartile": OrderStatistic("lower quartile", 1, 4)}
