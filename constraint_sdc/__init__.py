"""Mask microdata without breaking its edit rules, and check it against them.

>>> import constraint_sdc as cs
>>> cs.mask_file("census.xml", "census.sch", "masked.xml", k=5, partition="mdav").output.name
'masked.xml'

The verbs for frames take data frames of pandas, Polars or Arrow. Files are given as `str` or `Path`. Options are given
as keywords, or together as an options object. Every result has a `repr` of one line, an HTML form for notebooks and,
where a table is natural, `to_frame()`. Every error is a `ConstraintSdcError`. A name is imported on first use:
importing the package costs nothing.

Frames     init  describe  check  mask  assess  sweep
Judge      check_file  list_rules  convert_rules  lint_rules  discover_rules  verify_certificate  full_svrl
Mask       plan_file  mask_file  partition_file  explain_rule  explain_record  explain_certified_record
           new_key  reproduce
Measure    assess_files  attack_files  sweep_file
Try        examine_object  run_demo
Engines    use_engine  Tls
Files      init_recipe  describe_file  convert_file  export_domain  read_recipe  read_plan  save_plan
           read_certificate  save_groups  save_sweep  read_sweep_points  generate_census  shipped_rules
Reports    render  plan_text  sentence
Options    CheckOptions  LintOptions  DiscoverOptions  MaskOptions  PartitionOptions  AssessOptions  SweepOptions
           ConvertOptions  Recipe  Standardise
Results    MaskedFrame  CheckedFrame
           CheckResult  RuleResult  Violation  RuleList  RuleRow  LintResult  LintFinding  Discovery
           Proposal  Plan  BlockPlan  RulePlan  MaskResult  RuleOutcome  Partitioned  CertificateCheck
           Reproduction  RuleExplanation  RecordExplanation  Assessment  Measured  Sweep  SweepPoint
           ExamResult  ExamAnswer  DemoResult  Description  VariableDescription  RecipeDraft  Written
           Reason
Errors     ConstraintSdcError  UsageError  PluginError  RulesError  UntranslatedRulesError  DataError  NotRowsError
           NoRecordsError  ChangedFileError  ResourceRefusedError  JudgeError  EngineError  LimitError  PlanRefusedError
           CannotShareError  UndecidedError  NotTrustedError  NotPublishedError  Conflict  WayOut
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from constraint_sdc.commands.check import CheckOptions as CheckOptions
    from constraint_sdc.commands.convert import ConvertOptions as ConvertOptions
    from constraint_sdc.commands.discover import DiscoverOptions as DiscoverOptions
    from constraint_sdc.commands.lint import LintOptions as LintOptions
    from constraint_sdc.constraints.show import RuleList as RuleList
    from constraint_sdc.constraints.show import RuleRow as RuleRow
    from constraint_sdc.data.variable import Description as Description
    from constraint_sdc.data.variable import VariableDescription as VariableDescription
    from constraint_sdc.data.variable import Written as Written
    from constraint_sdc.discovery.proposal import Discovery as Discovery
    from constraint_sdc.discovery.proposal import Proposal as Proposal
    from constraint_sdc.engines.engine import Tls as Tls
    from constraint_sdc.errors import CannotShareError as CannotShareError
    from constraint_sdc.errors import ChangedFileError as ChangedFileError
    from constraint_sdc.errors import Conflict as Conflict
    from constraint_sdc.errors import ConstraintSdcError as ConstraintSdcError
    from constraint_sdc.errors import DataError as DataError
    from constraint_sdc.errors import EngineError as EngineError
    from constraint_sdc.errors import JudgeError as JudgeError
    from constraint_sdc.errors import LimitError as LimitError
    from constraint_sdc.errors import NoRecordsError as NoRecordsError
    from constraint_sdc.errors import NotPublishedError as NotPublishedError
    from constraint_sdc.errors import NotRowsError as NotRowsError
    from constraint_sdc.errors import NotTrustedError as NotTrustedError
    from constraint_sdc.errors import PlanRefusedError as PlanRefusedError
    from constraint_sdc.errors import ResourceRefusedError as ResourceRefusedError
    from constraint_sdc.errors import RulesError as RulesError
    from constraint_sdc.errors import UsageError as UsageError
    from constraint_sdc.errors import WayOut as WayOut
    from constraint_sdc.evidence.draft import RecipeDraft as RecipeDraft
    from constraint_sdc.judge.finding import CheckResult as CheckResult
    from constraint_sdc.judge.finding import RuleResult as RuleResult
    from constraint_sdc.judge.finding import Violation as Violation
    from constraint_sdc.languages.rule_book import UntranslatedRulesError as UntranslatedRulesError
    from constraint_sdc.library.engine import use_engine as use_engine
    from constraint_sdc.library.files import convert_file as convert_file
    from constraint_sdc.library.files import describe_file as describe_file
    from constraint_sdc.library.files import export_domain as export_domain
    from constraint_sdc.library.files import generate_census as generate_census
    from constraint_sdc.library.files import init_recipe as init_recipe
    from constraint_sdc.library.files import read_certificate as read_certificate
    from constraint_sdc.library.files import read_plan as read_plan
    from constraint_sdc.library.files import read_recipe as read_recipe
    from constraint_sdc.library.files import read_sweep_points as read_sweep_points
    from constraint_sdc.library.files import save_groups as save_groups
    from constraint_sdc.library.files import save_plan as save_plan
    from constraint_sdc.library.files import save_sweep as save_sweep
    from constraint_sdc.library.files import shipped_rules as shipped_rules
    from constraint_sdc.library.frames import assess as assess
    from constraint_sdc.library.frames import check as check
    from constraint_sdc.library.frames import describe as describe
    from constraint_sdc.library.frames import init as init
    from constraint_sdc.library.frames import mask as mask
    from constraint_sdc.library.frames import sweep as sweep
    from constraint_sdc.library.judging import check_file as check_file
    from constraint_sdc.library.judging import convert_rules as convert_rules
    from constraint_sdc.library.judging import full_svrl as full_svrl
    from constraint_sdc.library.judging import list_rules as list_rules
    from constraint_sdc.library.judging import verify_certificate as verify_certificate
    from constraint_sdc.library.masking import explain_certified_record as explain_certified_record
    from constraint_sdc.library.masking import explain_record as explain_record
    from constraint_sdc.library.masking import explain_rule as explain_rule
    from constraint_sdc.library.masking import mask_file as mask_file
    from constraint_sdc.library.masking import new_key as new_key
    from constraint_sdc.library.masking import partition_file as partition_file
    from constraint_sdc.library.masking import plan_file as plan_file
    from constraint_sdc.library.masking import reproduce as reproduce
    from constraint_sdc.library.measuring import assess_files as assess_files
    from constraint_sdc.library.measuring import attack_files as attack_files
    from constraint_sdc.library.measuring import sweep_file as sweep_file
    from constraint_sdc.library.rule_sets import discover_rules as discover_rules
    from constraint_sdc.library.rule_sets import lint_rules as lint_rules
    from constraint_sdc.library.trying import examine_object as examine_object
    from constraint_sdc.library.trying import run_demo as run_demo
    from constraint_sdc.lint.finding import LintFinding as LintFinding
    from constraint_sdc.lint.finding import LintResult as LintResult
    from constraint_sdc.maskers.masked import CertificateCheck as CertificateCheck
    from constraint_sdc.maskers.masked import MaskOptions as MaskOptions
    from constraint_sdc.maskers.masked import MaskResult as MaskResult
    from constraint_sdc.maskers.masked import Partitioned as Partitioned
    from constraint_sdc.maskers.masked import PartitionOptions as PartitionOptions
    from constraint_sdc.maskers.masked import RecordExplanation as RecordExplanation
    from constraint_sdc.maskers.masked import Reproduction as Reproduction
    from constraint_sdc.maskers.masked import RuleExplanation as RuleExplanation
    from constraint_sdc.maskers.masked import RuleOutcome as RuleOutcome
    from constraint_sdc.measures.assessment import Assessment as Assessment
    from constraint_sdc.measures.assessment import AssessOptions as AssessOptions
    from constraint_sdc.measures.assessment import Measured as Measured
    from constraint_sdc.measures.sweep_points import Sweep as Sweep
    from constraint_sdc.measures.sweep_points import SweepOptions as SweepOptions
    from constraint_sdc.measures.sweep_points import SweepPoint as SweepPoint
    from constraint_sdc.plan.inventory import UndecidedError as UndecidedError
    from constraint_sdc.plan.plan import BlockPlan as BlockPlan
    from constraint_sdc.plan.plan import Plan as Plan
    from constraint_sdc.plan.plan import RulePlan as RulePlan
    from constraint_sdc.plugins import PluginError as PluginError
    from constraint_sdc.reports.demo import DemoResult as DemoResult
    from constraint_sdc.reports.exam import ExamAnswer as ExamAnswer
    from constraint_sdc.reports.exam import ExamResult as ExamResult
    from constraint_sdc.reports.frame_results import CheckedFrame as CheckedFrame
    from constraint_sdc.reports.frame_results import MaskedFrame as MaskedFrame
    from constraint_sdc.reports.masking.plan_text import plan_text as plan_text
    from constraint_sdc.reports.rendering import render as render
    from constraint_sdc.reports.sentences import sentence as sentence
    from constraint_sdc.settings.reason import Reason as Reason
    from constraint_sdc.settings.recipe import Recipe as Recipe
    from constraint_sdc.settings.words import Standardise as Standardise

__version__ = "0.2.0"

_HOMES = {
    # Judge a file
    "check_file": "constraint_sdc.library.judging",
    "list_rules": "constraint_sdc.library.judging",
    "convert_rules": "constraint_sdc.library.judging",
    "lint_rules": "constraint_sdc.library.rule_sets",
    "discover_rules": "constraint_sdc.library.rule_sets",
    "verify_certificate": "constraint_sdc.library.judging",
    "full_svrl": "constraint_sdc.library.judging",
    # Data frames
    "check": "constraint_sdc.library.frames",
    "mask": "constraint_sdc.library.frames",
    "assess": "constraint_sdc.library.frames",
    "init": "constraint_sdc.library.frames",
    "describe": "constraint_sdc.library.frames",
    "sweep": "constraint_sdc.library.frames",
    # Mask a file
    "plan_file": "constraint_sdc.library.masking",
    "mask_file": "constraint_sdc.library.masking",
    "partition_file": "constraint_sdc.library.masking",
    "explain_rule": "constraint_sdc.library.masking",
    "explain_record": "constraint_sdc.library.masking",
    "explain_certified_record": "constraint_sdc.library.masking",
    "new_key": "constraint_sdc.library.masking",
    "reproduce": "constraint_sdc.library.masking",
    # Measure
    "assess_files": "constraint_sdc.library.measuring",
    "attack_files": "constraint_sdc.library.measuring",
    "sweep_file": "constraint_sdc.library.measuring",
    # Try it out
    "examine_object": "constraint_sdc.library.trying",
    "run_demo": "constraint_sdc.library.trying",
    # Engines
    "use_engine": "constraint_sdc.library.engine",
    "Tls": "constraint_sdc.engines.engine",
    # Files
    "init_recipe": "constraint_sdc.library.files",
    "describe_file": "constraint_sdc.library.files",
    "convert_file": "constraint_sdc.library.files",
    "export_domain": "constraint_sdc.library.files",
    "read_recipe": "constraint_sdc.library.files",
    "read_plan": "constraint_sdc.library.files",
    "save_plan": "constraint_sdc.library.files",
    "read_certificate": "constraint_sdc.library.files",
    "save_groups": "constraint_sdc.library.files",
    "save_sweep": "constraint_sdc.library.files",
    "read_sweep_points": "constraint_sdc.library.files",
    "generate_census": "constraint_sdc.library.files",
    "shipped_rules": "constraint_sdc.library.files",
    # Reports
    "render": "constraint_sdc.reports.rendering",
    "plan_text": "constraint_sdc.reports.masking.plan_text",
    "sentence": "constraint_sdc.reports.sentences",
    # Options
    "CheckOptions": "constraint_sdc.commands.check",
    "ConvertOptions": "constraint_sdc.commands.convert",
    "LintOptions": "constraint_sdc.commands.lint",
    "DiscoverOptions": "constraint_sdc.commands.discover",
    "MaskOptions": "constraint_sdc.maskers.masked",
    "PartitionOptions": "constraint_sdc.maskers.masked",
    "AssessOptions": "constraint_sdc.measures.assessment",
    "SweepOptions": "constraint_sdc.measures.sweep_points",
    "Recipe": "constraint_sdc.settings.recipe",
    "Standardise": "constraint_sdc.settings.words",
    # Results
    "CheckResult": "constraint_sdc.judge.finding",
    "CheckedFrame": "constraint_sdc.reports.frame_results",
    "RuleResult": "constraint_sdc.judge.finding",
    "Violation": "constraint_sdc.judge.finding",
    "RuleList": "constraint_sdc.constraints.show",
    "RuleRow": "constraint_sdc.constraints.show",
    "LintResult": "constraint_sdc.lint.finding",
    "LintFinding": "constraint_sdc.lint.finding",
    "Discovery": "constraint_sdc.discovery.proposal",
    "Proposal": "constraint_sdc.discovery.proposal",
    "Plan": "constraint_sdc.plan.plan",
    "BlockPlan": "constraint_sdc.plan.plan",
    "RulePlan": "constraint_sdc.plan.plan",
    "MaskResult": "constraint_sdc.maskers.masked",
    "MaskedFrame": "constraint_sdc.reports.frame_results",
    "RuleOutcome": "constraint_sdc.maskers.masked",
    "Partitioned": "constraint_sdc.maskers.masked",
    "CertificateCheck": "constraint_sdc.maskers.masked",
    "Reproduction": "constraint_sdc.maskers.masked",
    "RuleExplanation": "constraint_sdc.maskers.masked",
    "RecordExplanation": "constraint_sdc.maskers.masked",
    "Assessment": "constraint_sdc.measures.assessment",
    "Measured": "constraint_sdc.measures.assessment",
    "Sweep": "constraint_sdc.measures.sweep_points",
    "SweepPoint": "constraint_sdc.measures.sweep_points",
    "ExamResult": "constraint_sdc.reports.exam",
    "ExamAnswer": "constraint_sdc.reports.exam",
    "DemoResult": "constraint_sdc.reports.demo",
    "Reason": "constraint_sdc.settings.reason",
    "Description": "constraint_sdc.data.variable",
    "VariableDescription": "constraint_sdc.data.variable",
    "RecipeDraft": "constraint_sdc.evidence.draft",
    "Written": "constraint_sdc.data.variable",
    # Errors
    "ConstraintSdcError": "constraint_sdc.errors",
    "UsageError": "constraint_sdc.errors",
    "PluginError": "constraint_sdc.plugins",
    "RulesError": "constraint_sdc.errors",
    "UntranslatedRulesError": "constraint_sdc.languages.rule_book",
    "DataError": "constraint_sdc.errors",
    "NoRecordsError": "constraint_sdc.errors",
    "NotRowsError": "constraint_sdc.errors",
    "ResourceRefusedError": "constraint_sdc.errors",
    "JudgeError": "constraint_sdc.errors",
    "EngineError": "constraint_sdc.errors",
    "LimitError": "constraint_sdc.errors",
    "PlanRefusedError": "constraint_sdc.errors",
    "CannotShareError": "constraint_sdc.errors",
    "UndecidedError": "constraint_sdc.plan.inventory",
    "NotTrustedError": "constraint_sdc.errors",
    "ChangedFileError": "constraint_sdc.errors",
    "NotPublishedError": "constraint_sdc.errors",
    "Conflict": "constraint_sdc.errors",
    "WayOut": "constraint_sdc.errors",
}

__all__ = sorted(_HOMES)


if not TYPE_CHECKING:  # a type checker that saw it would take every misspelt name for an existing one

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'constraint_sdc' has no attribute {name!r}")
        return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
