from evaluation.models.run import Intervention, Judgement, Model, Rollout, RolloutGroup, Run, Step, Trajectory
from evaluation.models.score import BenchmarkSettings, Metric, Score, Scoring

__all__ = [
    "BenchmarkSettings",
    "Intervention",
    "Judgement",
    "Metric",
    "Model",
    "Rollout",
    "RolloutGroup",
    "Run",
    "Score",
    "Scoring",
    "Step",
    "Trajectory",
]
