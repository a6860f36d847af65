# Rules of the survey in examples/survey, for the R package validate.
in_range(Age, 16, 110)
Wage + Other == Income
if (Wage > 0) Hours > 0
