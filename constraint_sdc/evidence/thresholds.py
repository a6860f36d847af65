"""Every threshold of the room, with its reason.

A threshold errs on one side: a measurement that is called uncertain costs a line in a recipe; a code, an identifier or
a column with missing codes that is called certain is masked in the wrong way, without anybody being asked.
"""

from __future__ import annotations

FEW_CODES = 30
"""Whole numbers with at most this many distinct values may be codes. Ages, hours and amounts of a file that is large
enough to be masked have more; most classifications that are published as codes have fewer."""

LEAST_DISTINCT = 10
"""Numbers with fewer distinct values are never certain: scores, rates and codes look alike then.
Fewer years are proposed as an order, not as numbers: a mean of two waves of a survey is no wave."""

LARGE = 1000
"""In a small file whole numbers are amounts if some reach this size, their lengths differ and most are different."""

NEARLY_UNIQUE = 0.9
"""Share of records whose number nobody else has, from which whole numbers may be identifiers. A few duplicates are
records that occur twice."""

MOSTLY_ALONE = 0.5
"""The same share for texts: categories repeat. Names of persons repeat a little, so the share is lower."""

DENSE = 0.9
"""Unique whole numbers that fill this share of their range are numbers given one after the other."""

LEAST_RISING = 8
"""Values that rise from record to record are numbers given in the order of the file, or the file is sorted by them.
By chance 8 values rise or fall once in 20,160 files."""

CODE_DIGITS = 4
"""Whole numbers of equal length with this many digits may be a classification or a postal code, however many there
are. Shorter ones (heights in centimetres) are judged by the other signs."""

CODE_DECIMALS = 4
"""Digits after a point that codes of a classification may have; numbers with more are computed, such as quotients."""

REPEATED = 2
"""Values are repeated if half of the distinct values have at least this many records. Amounts of which many are rounded
have heaps too, but more than half of their distinct values occur once."""

SPARSE = 0.5
"""Repeated values that fill less than this share of the grid between the 5th and the 95th percentile are codes:
measurements which occur again and again have neighbours that occur too."""

EVEN = 0.5
"""Variance of the counts of the values relative to their mean. Counts of measurements vary at least as much as those
of random draws (1); units that are observed equally often (12 months each) vary less."""

LEAST_RUNS = 2.0
"""Household numbers: equal values stand side by side this many times more often than in a random order."""

LEAST_BESIDE = 5
"""Equal values side by side, below which they may be a coincidence."""

FIRST_YEAR, LAST_YEAR = 1850, 2100
"""The years of births, events and surveys that occur in microdata."""

FAR_ABOVE = 2.0
"""The sum of sampling weights is the size of a population: at least this many times the number of records."""

MOSTLY_NUMBERS = 0.5
"""Share of values that are numbers, from which the other texts may be missing codes."""

MOST_MISSING_TEXTS = 6
"""Distinct unknown texts among numbers that may be missing codes. More of them are values of their own."""

SHARED_TEXT = 3
"""An unknown text among numbers is proposed as a missing code only if this many records have it: a text of one record
may be a person's."""

LONGEST_MISSING = 20
"""Characters of an unknown text that may be a missing code."""

FAR_AWAY = 1.5
"""A number of nines (or eights, sevens) above all others stands apart if it is this many times the next largest."""

OFTEN = 0.02
"""Share of the records that have one number, from which it may be a missing code although others lie around it."""

STICKS_OUT = 5
"""Such a number has this many times the records of nine in ten other numbers."""

HIGHEST_CODE = 5
"""Codes from 0 or 1 up to this one leave 8 and 9 for "refused" and "unknown"."""

LONG_TEXT = 40
"""Mean number of bytes from which texts are free text."""

WORDS = 4
"""Mean number of words from which texts are free text."""

SAMPLED_TEXTS = 2000
"""Distinct texts that are read one by one; lengths and counts are taken of all."""
