from annotation.models.adjudication import Adjudication, AdjudicationRule
from annotation.models.annotation import Annotation, GoldBox, GoldShape, PlanTool, ReferenceCall, Review, Revision
from annotation.models.audit import AuditDraw, AuditItem
from annotation.models.benchmark import Benchmark, ContentChange, InvitedRole, Membership, Version, VersionEntry
from annotation.models.building import AuditBatch, BuildDecision, BuildItem, ItemAudit
from annotation.models.chains import AcceptedChain, VerifiedChain
from annotation.models.comment import BlindAnswer, Comment, Mention
from annotation.models.draft import Draft, Receipt, SkippedDraft
from annotation.models.drafting import ClickedShape, Drafting, Proposal, ProposalUse
from annotation.models.evidence import EvidenceTest, FacetBatch
from annotation.models.guideline import Guideline, GuidelineImage, GuidelineReading
from annotation.models.imports import ImportIssue, ImportRecord
from annotation.models.lease import Assignment, BenchmarkQueue, Lease, Pause, Problem, Skip
from annotation.models.planning import PayLine, PayPeriod, PayRate, PaySettings, WorkPackage
from annotation.models.portable import PersonUid, PortableUpload
from annotation.models.quality import CheckAnswer, GoldCheck, QualificationAttempt, QualityRules
from annotation.models.sample import FacetValue, Gold, Image, ImageReplacement, ImageVariant, OriginalFile, Sample
from annotation.models.task import BenchmarkSchema, FacetAlias
from annotation.models.time import WorkClock, WorkSession
from annotation.models.tools import BankTool, DraftedName, ToolName
from annotation.models.webhook import Webhook, WebhookDelivery

__all__ = [
    "AcceptedChain", "Adjudication", "AdjudicationRule", "Annotation", "Assignment", "AuditBatch", "AuditDraw",
    "AuditItem", "BankTool", "Benchmark", "BenchmarkQueue", "BenchmarkSchema", "BlindAnswer", "BuildDecision",
    "BuildItem", "CheckAnswer", "ClickedShape", "Comment", "ContentChange", "Draft", "DraftedName", "Drafting",
    "EvidenceTest", "FacetAlias", "FacetBatch", "FacetValue", "Gold", "GoldBox", "GoldCheck", "GoldShape", "Guideline",
    "GuidelineImage", "GuidelineReading", "Image", "ImageReplacement", "ImageVariant", "ImportIssue", "ImportRecord",
    "InvitedRole",
    "ItemAudit", "Lease", "Membership", "Mention", "OriginalFile", "Pause", "PayLine", "PayPeriod", "PayRate",
    "PaySettings", "PersonUid", "PlanTool", "PortableUpload", "Problem", "Proposal", "ProposalUse",
    "QualificationAttempt", "QualityRules", "Receipt", "ReferenceCall", "Review", "Revision", "Sample", "Skip",
    "SkippedDraft", "ToolName", "VerifiedChain", "Version", "VersionEntry", "Webhook", "WebhookDelivery", "WorkClock",
    "WorkPackage", "WorkSession",
]  # fmt: skip
