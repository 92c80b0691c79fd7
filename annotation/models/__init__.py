from annotation.models.annotation import Annotation, GoldBox, PlanTool, ReferenceCall, Review, Revision
from annotation.models.benchmark import Benchmark, InvitedRole, Membership, Version, VersionEntry
from annotation.models.comment import BlindAnswer, Comment
from annotation.models.draft import Draft, Receipt
from annotation.models.imports import ImportIssue, ImportRecord
from annotation.models.lease import Assignment, BenchmarkQueue, Lease, Pause, Skip
from annotation.models.sample import FacetValue, Gold, Image, Sample
from annotation.models.tools import BankTool, ToolName

__all__ = [
    "Annotation",
    "Assignment",
    "BankTool",
    "Benchmark",
    "BenchmarkQueue",
    "BlindAnswer",
    "Comment",
    "Draft",
    "FacetValue",
    "Gold",
    "GoldBox",
    "Image",
    "ImportIssue",
    "ImportRecord",
    "InvitedRole",
    "Lease",
    "Membership",
    "Pause",
    "PlanTool",
    "Receipt",
    "ReferenceCall",
    "Review",
    "Revision",
    "Sample",
    "Skip",
    "ToolName",
    "Version",
    "VersionEntry",
]
