from evaluation.models.experiment import Attempt, Endpoint, Exchange, Experiment, SentImage
from evaluation.models.judging import JudgingItem, JudgingQueue, JudgingSeat
from evaluation.models.lineage import Lineage
from evaluation.models.listing import FailureLabel, Note, SavedSlice, Tag, Tagging
from evaluation.models.mapping import SampleAlias, SavedMapping
from evaluation.models.prompt import Prompt
from evaluation.models.replay import Replay, ReplayedStep
from evaluation.models.run import Intervention, Judgement, Model, Rollout, RolloutGroup, Run, Step, ToolList, Trajectory
from evaluation.models.score import BenchmarkSettings, ListFile, Metric, ScoreFile, Scoring
from evaluation.models.standing import Comparison, Standing
from evaluation.models.study import HumanAnswer, Participant, StudySample
from evaluation.models.words import WordFile

__all__ = [
    "Attempt",
    "BenchmarkSettings",
    "Comparison",
    "Endpoint",
    "Exchange",
    "Experiment",
    "FailureLabel",
    "HumanAnswer",
    "Intervention",
    "Judgement",
    "JudgingItem",
    "JudgingQueue",
    "JudgingSeat",
    "Lineage",
    "ListFile",
    "Metric",
    "Model",
    "Note",
    "Participant",
    "Prompt",
    "Replay",
    "ReplayedStep",
    "Rollout",
    "RolloutGroup",
    "Run",
    "SampleAlias",
    "SavedMapping",
    "SavedSlice",
    "ScoreFile",
    "Scoring",
    "SentImage",
    "Standing",
    "Step",
    "StudySample",
    "Tag",
    "Tagging",
    "ToolList",
    "Trajectory",
    "WordFile",
]
