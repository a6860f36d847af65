"""Every code of a reason with the parameters that it takes; `reports/sentences.py` has its sentence.

A test compares this list with the sentences and with every place that gives a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from constraint_sdc.settings.code_parameters import CodeParameters
from constraint_sdc.settings.masking_codes import MASKING_CODES
from constraint_sdc.settings.note_codes import NOTE_CODES

CODES: Mapping[str, CodeParameters] = MappingProxyType({**MASKING_CODES, **NOTE_CODES})
"""The parameters of every code."""
