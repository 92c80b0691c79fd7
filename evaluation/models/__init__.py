from evaluation.models.run import Intervention, Judgement, Model, Rollout, RolloutGroup, Run, Step, Trajectory
from evaluation.models.score import BenchmarkSettings, Metric, Score, Scoring
from evaluation.models.standing import Comparison, Standing

__all__ = [
    "BenchmarkSettings",
    "Comparison",
    "Intervention",
    "Judgement",
    "Metric",
    "Model",
    "Rollout",
    "RolloutGroup",
    "Run",
    "Score",
    "Scoring",
    "Standing",
    "Step",
    "Trajectory",
]
