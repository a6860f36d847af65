-- Edit rules of employees.csv, as the database has them.
ALTER TABLE employees ADD CONSTRAINT pay CHECK (Wage + Bonus = Pay);
ALTER TABLE employees ADD CONSTRAINT bonus CHECK (Bonus <= Wage);
ALTER TABLE employees ADD CONSTRAINT age CHECK (Age BETWEEN 16 AND 67);
