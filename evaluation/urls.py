from django.urls import URLPattern, URLResolver, path

from evaluation.answers import views as answers
from evaluation.compare.views import compare
from evaluation.diagnostics import views as diagnostics
from evaluation.evidence import views as evidence
from evaluation.experiments.views import clicks, drafting, experiments
from evaluation.experiments.views import endpoints as model_endpoints
from evaluation.experiments.views import prompts as model_prompts
from evaluation.exports.views import card as data_card
from evaluation.exports.views import comparison, project
from evaluation.exports.views import export as exports
from evaluation.exports.views import names as export_names
from evaluation.home import views as home
from evaluation.imports.views import keys as imports_keys
from evaluation.imports.views import record as imports_record
from evaluation.imports.views import undo as imports_undo
from evaluation.imports.views import upload as imports
from evaluation.judging.views import accuracy as human_accuracy
from evaluation.judging.views import judges, labels
from evaluation.judging.views import question as judging_question
from evaluation.judging.views import queues as judging
from evaluation.judging.views import tables as agreement_export
from evaluation.lab import views as lab_views
from evaluation.leaderboard.views import board as leaderboard
from evaluation.leaderboard.views import macro
from evaluation.leaderboard.views import runs as runs_list
from evaluation.leaderboard.views import settings as metric_settings
from evaluation.lineages import views as lineages
from evaluation.rewards import views as rewards
from evaluation.runs.views import replays as run_replays
from evaluation.runs.views import run
from evaluation.samples.views import chains as sample_chains
from evaluation.samples.views import models as sample_models
from evaluation.samples.views import sample
from evaluation.search import views as search
from evaluation.studies.views import studies
from evaluation.studies.views import task as study_task
from evaluation.toolchains import views as chains
from evaluation.trajectories.views import marks as trajectories_marks
from evaluation.trajectories.views import page as trajectories
from evaluation.trajectories.views import preview as trajectories_preview
from evaluation.trajectories.views import slices
from evaluation.trajectory.views import replay, trajectory
from evaluation.trash import views as trash
from webapp.common.addresses import KEY

app_name = "evaluation"

BENCHMARK = "benchmarks/<slug:slug>"

EXPERIMENT = f"{BENCHMARK}/experiments/<int:pk>"
IMPORT = f"{BENCHMARK}/import/<int:record>"
STUDY = f"{BENCHMARK}/studies/<int:pk>"
JUDGING = f"{BENCHMARK}/judging/<int:pk>"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("search/", search.search, name="search"),
    path("leaderboard/", macro.macro, name="macro"),
    path(f"{BENCHMARK}/leaderboard/", leaderboard.leaderboard, name="leaderboard"),
    path(f"{BENCHMARK}/toolchain/analysis/", chains.chains, name="chains"),
    path(f"{BENCHMARK}/diagnostics/", diagnostics.diagnostics, name="diagnostics"),
    path(f"{BENCHMARK}/compare/", compare.compare, name="compare"),
    path(f"{BENCHMARK}/compare/crops/", compare.crops, name="compare-crops"),
    path(f"{BENCHMARK}/compare/slices/", compare.slices, name="compare-slices"),
    path(f"{BENCHMARK}/compare/pairs/", compare.sides, name="compare-pairs"),
    path(f"{BENCHMARK}/score/", leaderboard.score, name="score"),
    path(f"{BENCHMARK}/settings/metrics/", metric_settings.metric_settings, name="metric-settings"),
    path(f"{BENCHMARK}/data-card/", data_card.data_card, name="data-card"),
    path(f"{BENCHMARK}/data-card.md", data_card.data_card_markdown, name="data-card-markdown"),
    path(f"{BENCHMARK}/rewards/", rewards.rewards, name="rewards"),
    path(f"{BENCHMARK}/rewards/rollouts/", rewards.rollouts, name="reward-rollouts"),
    path(f"{BENCHMARK}/runs/", runs_list.runs, name="runs"),
    path(f"{BENCHMARK}/runs/<int:run>/missing/", runs_list.missing, name="missing"),
    path("benchmarks/new/file/", project.new_from_file, name="new-from-file"),
    path("benchmarks/new/file/<uuid:pk>/", project.upload, name="portable-upload"),
    path("benchmarks/new/file/differences/", comparison.two_files, name="file-differences"),
    path("benchmarks/new/file/differences/<uuid:pk>/", comparison.file_difference, name="file-difference"),
    path(f"{BENCHMARK}/export/differences/", comparison.new_comparison, name="portable-differences"),
    path(f"{BENCHMARK}/export/differences/<uuid:pk>/", comparison.difference, name="portable-difference"),
    path(f"{BENCHMARK}/export/portable/", project.start_export, name="portable-export"),
    path(f"{BENCHMARK}/export/portable/<uuid:job_id>/", project.export_file, name="portable-file"),
    path(f"{BENCHMARK}/export/update/", project.new_update, name="portable-updates"),
    path(f"{BENCHMARK}/export/update/<uuid:pk>/", project.update, name="portable-update"),
    path(f"{BENCHMARK}/export/names/", export_names.names, name="export-names"),
    path(f"{BENCHMARK}/export/", exports.export, name="export"),
    path(f"{BENCHMARK}/export/project.sightline", exports.project, name="export-project"),
    path(f"{BENCHMARK}/export/<slug:name>.<slug:extension>", exports.exported, name="exported"),
    path(f"{BENCHMARK}/agreement/judges/", judges.judges, name="judges"),
    path(f"{BENCHMARK}/agreement/judges/verdicts/", judges.verdicts, name="judge-verdicts"),
    path(f"{BENCHMARK}/agreement/blind/", human_accuracy.human_accuracy, name="human-accuracy"),
    path(
        f"{BENCHMARK}/agreement/<slug:table>.<slug:extension>",
        agreement_export.agreement_export,
        name="agreement-export",
    ),
    path(f"{BENCHMARK}/runs/<int:pk>/", run.run_page, name="run"),
    path(f"{BENCHMARK}/runs/<int:pk>/place/", lineages.place, name="run-place"),
    path(f"{BENCHMARK}/lineages/", lineages.lineages, name="lineages"),
    path(f"{BENCHMARK}/lineages/<int:pk>/", lineages.lineage, name="lineage"),
    path(f"{BENCHMARK}/lineages/<int:pk>/describe/", lineages.describe, name="lineage-describe"),
    path(f"{BENCHMARK}/lineages/<int:pk>/delete/", lineages.delete, name="lineage-delete"),
    path(f"{BENCHMARK}/runs/<int:pk>/lab/", lab_views.lab, name="lab"),
    path(f"{BENCHMARK}/runs/<int:pk>/skipped-attempts/", lab_views.skipped, name="lab-skipped"),
    path(f"{BENCHMARK}/runs/<int:pk>/lab/{KEY}/", lab_views.strip, name="lab-strip"),
    path(f"{BENCHMARK}/runs/<int:pk>/delete/", trash.run_delete, name="run-delete"),
    path(f"{BENCHMARK}/settings/trash/", trash.trash, name="trash"),
    path(f"{BENCHMARK}/settings/trash/empty/", trash.empty, name="trash-empty"),
    path(f"{BENCHMARK}/settings/trash/runs/<int:pk>/restore/", trash.restore, name="run-restore"),
    path(f"{BENCHMARK}/settings/trash/samples/", trash.samples_delete, name="samples-delete"),
    path(f"{BENCHMARK}/settings/trash/samples/<int:pk>/restore/", trash.sample_restore, name="sample-restore"),
    path(f"{BENCHMARK}/runs/<int:pk>/replays/", run_replays.run_replays, name="run-replays"),
    path(f"{BENCHMARK}/runs/<int:pk>/replays/keep/", run_replays.keep, name="run-replays-keep"),
    path(f"{BENCHMARK}/runs/<int:pk>/replays/drop/", run_replays.drop, name="run-replays-drop"),
    path(f"{BENCHMARK}/trajectories/", trajectories.trajectories, name="trajectories"),
    path(f"{BENCHMARK}/trajectories/words/", trajectories.completion, name="query-words"),
    path(f"{BENCHMARK}/trajectories/tag/", trajectories_marks.tag, name="tag"),
    path(f"{BENCHMARK}/trajectories/<int:pk>/preview/", trajectories_preview.preview, name="trajectory-preview"),
    path(f"{BENCHMARK}/trajectories/<int:pk>/note/", trajectories_marks.note, name="note"),
    path(f"{BENCHMARK}/trajectories/<int:pk>/failure/", trajectories_marks.failure, name="failure"),
    path(f"{BENCHMARK}/slices/", slices.slices, name="slices"),
    path(f"{BENCHMARK}/slices/save/", slices.save, name="save-slice"),
    path(f"{BENCHMARK}/slices/<int:pk>/delete/", slices.delete, name="delete-slice"),
    path(f"{BENCHMARK}/notes/<int:pk>/delete/", trajectories_marks.note_delete, name="note-delete"),
    path(f"{BENCHMARK}/samples/{KEY}/", sample.sample, name="sample"),
    path(f"{BENCHMARK}/toolchain/aligned/{KEY}/", sample_chains.sample_chains, name="sample-chains"),
    path(f"{BENCHMARK}/all-runs/{KEY}/", sample_models.sample_models, name="sample-models"),
    path(f"{BENCHMARK}/trajectories/<int:pk>/", trajectory.trajectory, name="trajectory"),
    path(f"{BENCHMARK}/trajectories/<int:pk>/replay/", replay.replayed, name="replay"),
    path(f"{BENCHMARK}/trajectories/<int:pk>/replay/keep/", replay.keep, name="replay-keep"),
    path(f"{BENCHMARK}/trajectories/<int:pk>/replay/drop/", replay.drop, name="replay-drop"),
    path(f"{BENCHMARK}/trajectories/<int:pk>/text/<slug:part>/", trajectory.text, name="trajectory-text"),
    path(f"{BENCHMARK}/answers/", answers.answers, name="answers"),
    path(f"{BENCHMARK}/judging/", judging.judging, name="judging"),
    path(f"{BENCHMARK}/judging/experiments/<int:pk>/", labels.labels, name="judging-labels"),
    path(f"{JUDGING}/", judging.queue, name="judging-queue"),
    path(f"{JUDGING}/delete/", judging.delete, name="judging-delete"),
    path(f"{JUDGING}/next/", judging_question.hand_out, name="judging-next"),
    path(f"{JUDGING}/skip/", judging.skip, name="judging-skip"),
    path(f"{JUDGING}/undo/", judging_question.undo, name="judging-undo"),
    path(f"{JUDGING}/<slug:item>/", judging_question.question, name="judging-question"),
    path(f"{JUDGING}/<slug:item>/crops/<int:number>.jpg", judging_question.crop, name="judging-crop"),
    path(f"{BENCHMARK}/endpoints/", model_endpoints.endpoints, name="endpoints"),
    path(f"{BENCHMARK}/endpoints/<int:pk>/", model_endpoints.change, name="endpoint"),
    path(f"{BENCHMARK}/endpoints/<int:pk>/test/", model_endpoints.test, name="endpoint-test"),
    path(f"{BENCHMARK}/endpoints/<int:pk>/remove/", model_endpoints.remove, name="endpoint-remove"),
    path(f"{BENCHMARK}/prompts/", model_prompts.prompts, name="prompts"),
    path(f"{BENCHMARK}/prompts/<slug:prompt>/", model_prompts.prompt, name="prompt"),
    path(f"{BENCHMARK}/prompts/<slug:prompt>/change/", model_prompts.change, name="prompt-change"),
    path(f"{BENCHMARK}/new-prompt/", model_prompts.new_prompt, name="prompt-new"),
    path(f"{BENCHMARK}/experiments/", experiments.experiments, name="experiments"),
    path(f"{BENCHMARK}/experiments/arms/", experiments.new_arms, name="new-arms"),
    path(f"{BENCHMARK}/experiments/judge/", experiments.new_judge, name="new-judge"),
    path(f"{BENCHMARK}/experiments/detector/", experiments.new_detection, name="new-detection"),
    path(f"{BENCHMARK}/board/audits/new/", experiments.new_audit, name="new-audit"),
    path(f"{BENCHMARK}/board/descriptions/new/", experiments.new_description, name="new-description"),
    path(f"{BENCHMARK}/board/images/new/", experiments.new_rendering, name="new-rendering"),
    path(f"{BENCHMARK}/evidence/", evidence.evidence, name="evidence"),
    path(f"{BENCHMARK}/evidence/facet/", evidence.set_needs, name="evidence-facet"),
    path(f"{BENCHMARK}/evidence/facet/<int:pk>/undo/", evidence.undo, name="evidence-undo"),
    path(f"{BENCHMARK}/evidence/images/{KEY}/<slug:condition>/", evidence.shown, name="evidence-image"),
    path(f"{BENCHMARK}/experiments/evidence/", experiments.new_evidence, name="new-evidence"),
    path(f"{BENCHMARK}/drafting/", drafting.drafting, name="drafting"),
    path("drafting/images/<str:token>/<str:name>", drafting.drafting_image, name="drafting-image"),
    path(f"{BENCHMARK}/drafting/click/", drafting.drafting_click, name="drafting-click"),
    path("drafting/clicks/<str:token>/<str:name>", clicks.click_image, name="click-image"),
    path(f"{BENCHMARK}/annotate/click/{KEY}/", clicks.click_shape, name="click-shape"),
    path(f"{BENCHMARK}/drafting/planted/", drafting.planted_withdraw, name="planted-withdraw"),
    path(f"{BENCHMARK}/drafting/share/", drafting.drafting_share, name="drafting-share"),
    path(f"{BENCHMARK}/drafting/show/", drafting.drafting_shows, name="drafting-shows"),
    path(f"{EXPERIMENT}/", experiments.experiment, name="experiment"),
    path(f"{EXPERIMENT}/budget/", experiments.budget, name="experiment-budget"),
    path(f"{EXPERIMENT}/exchanges.jsonl", experiments.export, name="experiment-export"),
    path(f"{EXPERIMENT}/images/<slug:sha256>/", experiments.image, name="experiment-image"),
    path(f"{EXPERIMENT}/attempts/<int:attempt>/", experiments.attempt, name="attempt"),
    *(
        path(f"{EXPERIMENT}/{name}/", experiments.act, {"action": name}, name=f"experiment-{name}")
        for name in experiments.DO
    ),
    path(f"{BENCHMARK}/studies/", studies.studies, name="studies"),
    path(f"{BENCHMARK}/studies/new/", studies.new_study, name="new-study"),
    path(f"{STUDY}/", studies.study, name="study"),
    path(f"{STUDY}/answers.jsonl", studies.export, name="study-export"),
    path(f"{STUDY}/next/", study_task.hand_out, name="study-next"),
    path(f"{STUDY}/finish/", studies.leave, name="study-finish"),
    *(path(f"{STUDY}/{name}/", studies.act, {"action": name}, name=f"study-{name}") for name in studies.DO),
    path(f"{STUDY}/<slug:item>/", study_task.task, name="study-task"),
    path(f"{STUDY}/<slug:item>/part/", study_task.part, name="study-part"),
    path(f"{STUDY}/<slug:item>/stay/", study_task.stay, name="study-stay"),
    path(f"{BENCHMARK}/import/", imports.imports, name="import"),
    path(f"{IMPORT}/", imports_record.record, name="import-record"),
    path(f"{IMPORT}/choose/", imports_record.choose, name="import-choose"),
    path(f"{IMPORT}/keys/", imports_keys.keys, name="import-keys"),
    path(f"{IMPORT}/mapping.json", imports_keys.mapping, name="import-mapping"),
    path(f"{IMPORT}/read/", imports_record.read_again, name="import-read"),
    path(f"{IMPORT}/other/", imports_record.other_kind, name="import-other"),
    path(f"{IMPORT}/alias/", imports_record.alias, name="import-alias"),
    path(f"{IMPORT}/commit/", imports_record.commit, name="import-commit"),
    path(f"{IMPORT}/undo/", imports_undo.undo, name="import-undo"),
    path(f"{IMPORT}/issues.csv", imports_record.issues, name="import-issues"),
    path(f"{IMPORT}/pictures/<int:index>/<slug:what>.jpg", imports_record.picture, name="import-picture"),
]
