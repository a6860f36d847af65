"""Mask microdata without breaking its edit rules, and check it against them.

The commands' verbs are here too: `plan_file`, `mask_file`, `check_file`, `assess_files`, `sweep_file`,
`partition_file`, `list_rules`, `describe_file`, `convert_file`, `export_domain`. They are imported on first use:
importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from constraint_sdc.commands.assess import assess_files as assess_files
    from constraint_sdc.commands.check import CheckOptions as CheckOptions
    from constraint_sdc.commands.check import check_file as check_file
    from constraint_sdc.commands.convert import ConvertOptions as ConvertOptions
    from constraint_sdc.commands.convert import convert_file as convert_file
    from constraint_sdc.commands.describe import describe_file as describe_file
    from constraint_sdc.commands.domain import export_domain as export_domain
    from constraint_sdc.commands.mask import mask_file as mask_file
    from constraint_sdc.commands.partition import partition_file as partition_file
    from constraint_sdc.commands.plan import plan_file as plan_file
    from constraint_sdc.commands.rules import list_rules as list_rules
    from constraint_sdc.commands.sweep import sweep_file as sweep_file
    from constraint_sdc.errors import ConstraintSdcError as ConstraintSdcError
    from constraint_sdc.files.recipe import read_recipe as read_recipe
    from constraint_sdc.maskers.masked import MaskOptions as MaskOptions
    from constraint_sdc.maskers.masked import PartitionOptions as PartitionOptions
    from constraint_sdc.measures.assessment import AssessOptions as AssessOptions
    from constraint_sdc.measures.assessment import SweepOptions as SweepOptions
    from constraint_sdc.reports.check.render import render as render
    from constraint_sdc.reports.masking.plan_text import plan_text as plan_text
    from constraint_sdc.reports.sentences import sentence as sentence

__version__ = "0.1.0"

_HOMES = {
    "ConstraintSdcError": "constraint_sdc.errors",
    "MaskOptions": "constraint_sdc.maskers.masked",
    "mask_file": "constraint_sdc.commands.mask",
    "plan_file": "constraint_sdc.commands.plan",
    "PartitionOptions": "constraint_sdc.maskers.masked",
    "partition_file": "constraint_sdc.commands.partition",
    "plan_text": "constraint_sdc.reports.masking.plan_text",
    "read_recipe": "constraint_sdc.files.recipe",
    "AssessOptions": "constraint_sdc.measures.assessment",
    "assess_files": "constraint_sdc.commands.assess",
    "SweepOptions": "constraint_sdc.measures.assessment",
    "sweep_file": "constraint_sdc.commands.sweep",
    "CheckOptions": "constraint_sdc.commands.check",
    "check_file": "constraint_sdc.commands.check",
    "ConvertOptions": "constraint_sdc.commands.convert",
    "convert_file": "constraint_sdc.commands.convert",
    "describe_file": "constraint_sdc.commands.describe",
    "export_domain": "constraint_sdc.commands.domain",
    "list_rules": "constraint_sdc.commands.rules",
    "render": "constraint_sdc.reports.check.render",
    "sentence": "constraint_sdc.reports.sentences",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'constraint_sdc' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
