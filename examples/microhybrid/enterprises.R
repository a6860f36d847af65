# Edit rules of enterprises.parquet, as R's package `validate` reads them. Amounts are thousands.
validator(
  costs = Wages + Materials == Costs,
  profit = Turnover - Costs == Profit,
  wages = Wages >= Employees,
  amounts = Materials >= 0 & Turnover > 0
)
