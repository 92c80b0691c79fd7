from django.urls import URLPattern, URLResolver, path

from evaluation.views import (
    agreement_export,
    data_card,
    exports,
    home,
    human_accuracy,
    imports,
    imports_record,
    judges,
    leaderboard,
    metric_settings,
    run,
    runs_list,
    sample,
    trajectories,
    trajectory,
)
from webapp.common.addresses import KEY

app_name = "evaluation"

BENCHMARK = "benchmarks/<slug:slug>"

IMPORT = f"{BENCHMARK}/import/<int:record>"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path(f"{BENCHMARK}/leaderboard/", leaderboard.leaderboard, name="leaderboard"),
    path(f"{BENCHMARK}/score/", leaderboard.score, name="score"),
    path(f"{BENCHMARK}/settings/metrics/", metric_settings.metric_settings, name="metric-settings"),
    path(f"{BENCHMARK}/data-card/", data_card.data_card, name="data-card"),
    path(f"{BENCHMARK}/data-card.md", data_card.data_card_markdown, name="data-card-markdown"),
    path(f"{BENCHMARK}/runs/", runs_list.runs, name="runs"),
    path(f"{BENCHMARK}/runs/<int:run>/missing/", runs_list.missing, name="missing"),
    path(f"{BENCHMARK}/export/", exports.export, name="export"),
    path(f"{BENCHMARK}/export/<slug:name>.<slug:extension>", exports.exported, name="exported"),
    path(f"{BENCHMARK}/agreement/judges/", judges.judges, name="judges"),
    path(f"{BENCHMARK}/agreement/blind/", human_accuracy.human_accuracy, name="human-accuracy"),
    path(
        f"{BENCHMARK}/agreement/<slug:table>.<slug:extension>",
        agreement_export.agreement_export,
        name="agreement-export",
    ),
    path(f"{BENCHMARK}/runs/<int:pk>/", run.run_page, name="run"),
    path(f"{BENCHMARK}/trajectories/", trajectories.trajectories, name="trajectories"),
    path(f"{BENCHMARK}/samples/{KEY}/", sample.sample, name="sample"),
    path(f"{BENCHMARK}/trajectories/<int:pk>/", trajectory.trajectory, name="trajectory"),
    path(f"{BENCHMARK}/trajectories/<int:pk>/text/<slug:part>/", trajectory.text, name="trajectory-text"),
    path(f"{BENCHMARK}/import/", imports.imports, name="import"),
    path(f"{IMPORT}/", imports_record.record, name="import-record"),
    path(f"{IMPORT}/choose/", imports_record.choose, name="import-choose"),
    path(f"{IMPORT}/read/", imports_record.read_again, name="import-read"),
    path(f"{IMPORT}/other/", imports_record.other_kind, name="import-other"),
    path(f"{IMPORT}/commit/", imports_record.commit, name="import-commit"),
    path(f"{IMPORT}/issues.csv", imports_record.issues, name="import-issues"),
    path(f"{IMPORT}/pictures/<int:index>/<slug:what>.jpg", imports_record.picture, name="import-picture"),
]
