-- Rules of the survey in examples/survey, as constraints of a table.
CREATE TABLE Person (
  Age INTEGER CONSTRAINT age CHECK (Age BETWEEN 16 AND 110),
  Wage INTEGER, Other INTEGER, Income INTEGER, Hours INTEGER,
  CONSTRAINT income CHECK (Wage + Other = Income)
);
ALTER TABLE Person ADD CONSTRAINT hours CHECK (NOT Wage > 0 OR Hours > 0);
