sd(Wage) < 20000          # a statistic over all records
Region < "B"              # an order of texts
