from django.urls import URLPattern, URLResolver, path

from evaluation.answers import api as answers
from evaluation.compare import api as comparisons
from evaluation.diagnostics import api as diagnostics
from evaluation.evidence import api as evidence
from evaluation.experiments.api import attempts, board, clicks, drafting, endpoints, experiments, planted, prompts
from evaluation.exports.api import benchmarks, comparison, portable
from evaluation.imports.api import records as imports
from evaluation.imports.api import sessions
from evaluation.judging import api as judging
from evaluation.lab import api as lab_api
from evaluation.leaderboard import api as leaderboard
from evaluation.lineages import api as lineages
from evaluation.rewards.api import groups as rewards
from evaluation.runs.api import charts, runs
from evaluation.studies import api as studies
from evaluation.toolchains import api as chains
from evaluation.trajectories.api import marks
from evaluation.trajectories.api import rows as trajectories
from evaluation.trash import api as trash
from webapp.common.addresses import KEY

BENCHMARK = "benchmarks/<slug:slug>"

urlpatterns: list[URLPattern | URLResolver] = [
    path(f"{BENCHMARK}/", benchmarks.benchmark, name="api-benchmark"),
    path(f"{BENCHMARK}/export/", benchmarks.export, name="api-export"),
    path(f"{BENCHMARK}/portable/", portable.export, name="api-portable-export"),
    path(f"{BENCHMARK}/portable/names/", portable.names, name="api-portable-names"),
    path(f"{BENCHMARK}/portable/<uuid:pk>/", portable.export_state, name="api-portable-export-state"),
    path(f"{BENCHMARK}/portable/<uuid:pk>/file/", portable.export_file, name="api-portable-export-file"),
    path(f"{BENCHMARK}/portable/updates/", portable.updates, name="api-portable-updates"),
    path(f"{BENCHMARK}/portable/updates/<uuid:pk>/", portable.update, name="api-portable-update"),
    path(f"{BENCHMARK}/portable/updates/<uuid:pk>/start/", portable.update_start, name="api-portable-update-start"),
    path(f"{BENCHMARK}/portable/differences/", comparison.compare, name="api-portable-compare"),
    path(f"{BENCHMARK}/portable/differences/<uuid:pk>/", comparison.comparison, name="api-portable-comparison"),
    path(
        f"{BENCHMARK}/portable/differences/<uuid:pk>/samples/",
        comparison.comparison_samples,
        name="api-portable-comparison-samples",
    ),
    path("portable/", portable.uploads, name="api-portable-uploads"),
    path("portable/differences/", comparison.compare_files, name="api-files-compare"),
    path("portable/differences/<uuid:pk>/", comparison.files_comparison, name="api-files-comparison"),
    path(
        "portable/differences/<uuid:pk>/samples/",
        comparison.files_comparison_samples,
        name="api-files-comparison-samples",
    ),
    path("portable/<uuid:pk>/", portable.upload, name="api-portable-upload"),
    path("portable/<uuid:pk>/create/", portable.create, name="api-portable-create"),
    path(f"{BENCHMARK}/score/", benchmarks.score, name="api-score"),
    path(f"{BENCHMARK}/runs/", runs.runs, name="api-runs"),
    path(f"{BENCHMARK}/runs/<int:pk>/", runs.run, name="api-run"),
    path(f"{BENCHMARK}/runs/<int:pk>/delete/", trash.run_delete, name="api-run-delete"),
    path(f"{BENCHMARK}/trash/", trash.trash, name="api-trash"),
    path(f"{BENCHMARK}/trash/empty/", trash.trash_empty, name="api-trash-empty"),
    path(f"{BENCHMARK}/trash/runs/<int:pk>/restore/", trash.run_restore, name="api-run-restore"),
    path(f"{BENCHMARK}/trash/samples/", trash.trash_samples, name="api-trash-samples"),
    path(f"{BENCHMARK}/trash/samples/<int:pk>/restore/", trash.sample_restore, name="api-sample-restore"),
    path(f"{BENCHMARK}/runs/<int:pk>/metrics/", runs.run_metrics, name="api-run-metrics"),
    path(f"{BENCHMARK}/runs/<int:pk>/charts/", charts.run_charts, name="api-run-charts"),
    path(f"{BENCHMARK}/runs/<int:pk>/lab/", lab_api.lab, name="api-run-lab"),
    path(f"{BENCHMARK}/lineages/", lineages.lineages, name="api-lineages"),
    path(f"{BENCHMARK}/lineages/<int:pk>/", lineages.lineage, name="api-lineage"),
    path(f"{BENCHMARK}/runs/<int:pk>/arms/", experiments.run_arms, name="api-run-arms"),
    path(f"{BENCHMARK}/runs/<int:pk>/judge/", experiments.run_judge, name="api-run-judge"),
    path(f"{BENCHMARK}/rewards/", rewards.rewards, name="api-rewards"),
    path(f"{BENCHMARK}/rewards/groups/", rewards.groups, name="api-reward-groups"),
    path(f"{BENCHMARK}/metrics/", runs.metrics, name="api-metrics"),
    path("leaderboard/", leaderboard.macro, name="api-macro"),
    path(f"{BENCHMARK}/leaderboard/", leaderboard.leaderboard, name="api-leaderboard"),
    path(f"{BENCHMARK}/trajectories/", trajectories.trajectories, name="api-trajectories"),
    path(f"{BENCHMARK}/toolchains/", chains.toolchains, name="api-toolchains"),
    path(f"{BENCHMARK}/diagnostics/", diagnostics.diagnostics, name="api-diagnostics"),
    path(f"{BENCHMARK}/compare/", comparisons.compare, name="api-compare"),
    path(f"{BENCHMARK}/compare/slices/", comparisons.compare_slices, name="api-compare-slices"),
    path(f"{BENCHMARK}/compare/pairs/", comparisons.compare_pairs, name="api-compare-pairs"),
    path(f"{BENCHMARK}/compare/crops/", comparisons.compare_crops, name="api-compare-crops"),
    path(f"{BENCHMARK}/trajectories/facets/", trajectories.facets, name="api-trajectory-facets"),
    path(f"{BENCHMARK}/trajectories/<int:pk>/", trajectories.trajectory, name="api-trajectory"),
    path(f"{BENCHMARK}/tags/", marks.tags, name="api-tags"),
    path(f"{BENCHMARK}/notes/", marks.notes, name="api-notes"),
    path(f"{BENCHMARK}/failures/", marks.failure_agreement, name="api-failure-agreement"),
    path(f"{BENCHMARK}/slices/", marks.slices, name="api-slices"),
    path(f"{BENCHMARK}/agreement/<slug:table>/", judging.agreement, name="api-agreement"),
    path(f"{BENCHMARK}/judges/", judging.judges, name="api-judges"),
    path(f"{BENCHMARK}/judging/", judging.judging, name="api-judging"),
    path(f"{BENCHMARK}/judging/experiments/<int:pk>/", judging.labels, name="api-judging-labels"),
    path(f"{BENCHMARK}/judging/<int:pk>/next/", judging.next_question, name="api-judging-next"),
    path(f"{BENCHMARK}/judging/<int:pk>/questions/<slug:item>/", judging.label, name="api-judging-label"),
    path(f"{BENCHMARK}/answers/", answers.answers, name="api-answers"),
    path(f"{BENCHMARK}/answers/report/", answers.report, name="api-answers-report"),
    path(f"{BENCHMARK}/sessions/calls/{KEY}/", sessions.session, name="api-session"),
    path(f"{BENCHMARK}/sessions/answer/{KEY}/", sessions.answer, name="api-session-answer"),
    path(f"{BENCHMARK}/endpoints/", endpoints.endpoints, name="api-endpoints"),
    path(f"{BENCHMARK}/endpoints/<int:pk>/", endpoints.endpoint, name="api-endpoint"),
    path(f"{BENCHMARK}/endpoints/<int:pk>/test/", endpoints.endpoint_test, name="api-endpoint-test"),
    path(f"{BENCHMARK}/prompts/", prompts.prompts, name="api-prompts"),
    path(f"{BENCHMARK}/prompts/<slug:prompt>/", prompts.prompt, name="api-prompt"),
    path(f"{BENCHMARK}/experiments/", experiments.experiments, name="api-experiments"),
    path(f"{BENCHMARK}/experiments/detector/", experiments.detect, name="api-detect"),
    path(f"{BENCHMARK}/evidence/", evidence.evidence, name="api-evidence"),
    path(f"{BENCHMARK}/evidence/samples/", evidence.samples, name="api-evidence-samples"),
    path(f"{BENCHMARK}/evidence/facet/", evidence.facet, name="api-evidence-facet"),
    path(f"{BENCHMARK}/evidence/facet/undo/", evidence.undo, name="api-evidence-undo"),
    path(f"{BENCHMARK}/experiments/evidence/", experiments.ask_evidence, name="api-ask-evidence"),
    path(f"{BENCHMARK}/drafting/planted/", planted.planted_withdraw, name="api-planted-withdraw"),
    path(f"{BENCHMARK}/clicks/{KEY}/", clicks.click, name="api-click"),
    path(f"{BENCHMARK}/drafting/", drafting.drafting, name="api-drafting"),
    path(f"{BENCHMARK}/board/audits/", board.audits, name="api-board-audits"),
    path(f"{BENCHMARK}/board/descriptions/", board.descriptions, name="api-board-descriptions"),
    path(f"{BENCHMARK}/board/images/", board.images, name="api-board-images"),
    path(f"{BENCHMARK}/experiments/<int:pk>/", experiments.experiment, name="api-experiment"),
    path(f"{BENCHMARK}/experiments/<int:pk>/exchanges/", attempts.export, name="api-experiment-export"),
    path(f"{BENCHMARK}/experiments/<int:pk>/attempts/", attempts.attempts, name="api-attempts"),
    path(
        f"{BENCHMARK}/experiments/<int:pk>/attempts/<int:attempt>/exchanges/",
        attempts.exchanges,
        name="api-exchanges",
    ),
    path(
        f"{BENCHMARK}/experiments/<int:pk>/attempts/<int:attempt>/exchanges/<int:n>/images/<slug:sha256>/",
        attempts.exchange_image,
        name="api-exchange-image",
    ),
    path(f"{BENCHMARK}/studies/", studies.studies, name="api-studies"),
    path(f"{BENCHMARK}/studies/<int:pk>/", studies.study, name="api-study"),
    path(f"{BENCHMARK}/studies/<int:pk>/answers/", studies.answers, name="api-study-answers"),
    path(f"{BENCHMARK}/imports/", imports.imports, name="api-imports"),
    path(f"{BENCHMARK}/imports/<int:pk>/", imports.import_record, name="api-import"),
    path(f"{BENCHMARK}/imports/<int:pk>/commit/", imports.import_commit, name="api-import-commit"),
    path(f"{BENCHMARK}/imports/<int:pk>/issues/", imports.import_issues, name="api-import-issues"),
]
