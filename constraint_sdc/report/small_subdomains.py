"""Which subdomains are told no further: statistics of a handful of records are the records themselves."""

from __future__ import annotations

from constraint_sdc.model.assessment import Assessment, SubdomainMeasured
from constraint_sdc.report.charts_bins import least_records


def is_hidden(part: SubdomainMeasured, assessment: Assessment, show_values: bool) -> bool:
    """Tell whether a subdomain, or what it leaves of the file, holds too few records to be told about.

    Statistics of all but two records, and of all, are those of the two. The user may ask for single records.
    """
    rest = assessment.records - part.records
    return min(part.records, rest or part.records) < least_records(assessment.pair.k) and not show_values


def few(assessment: Assessment) -> str:
    """Return what stands in place of the number of records."""
    return f"fewer than {least_records(assessment.pair.k)}, or all but so few"


def shown_name(part: SubdomainMeasured, assessment: Assessment, show_values: bool) -> str:
    """Return a subdomain's name; the value that makes a category of few records is theirs."""
    is_value = part.name != part.wish
    return f"{part.wish}: a rare value" if is_value and is_hidden(part, assessment, show_values) else part.name
