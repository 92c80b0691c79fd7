from annotation.models.annotation import Annotation, GoldBox, PlanTool, ReferenceCall, Review, Revision
from annotation.models.benchmark import Benchmark, InvitedRole, Membership, Version, VersionEntry
from annotation.models.imports import ImportIssue, ImportRecord
from annotation.models.sample import FacetValue, Gold, Image, Sample

__all__ = [
    "Annotation",
    "Benchmark",
    "FacetValue",
    "Gold",
    "GoldBox",
    "Image",
    "ImportIssue",
    "ImportRecord",
    "InvitedRole",
    "Membership",
    "PlanTool",
    "ReferenceCall",
    "Review",
    "Revision",
    "Sample",
    "Version",
    "VersionEntry",
]
