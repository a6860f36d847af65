"""Plan: from rules, data and recipe to blocks, strata, operators, and the reason why each rule still holds."""
