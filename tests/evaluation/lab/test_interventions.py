"""The intervention table of a paper out of an experiment: the numbers of the page, by one command."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Benchmark
from evaluation.models import Experiment, Run
from evaluation.scoring.settings import change_settings
from evaluation.scoring.write import score_benchmark
from tests.conftest import signed_in
from tests.evaluation.lab.conftest import ARMS, KEYS
from webapp.accounts.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def table(tmp_path: Path, **options: Any) -> list[dict[str, str]]:
    call_command("interventions", "kitchen", format="csv", output=tmp_path / "table.csv", **options)
    with (tmp_path / "table.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def shown(client: Any, run: Run) -> Any:
    return client.get(f"/benchmarks/kitchen/runs/{run.pk}/").context["effects"]


@pytest.mark.endurance
def test_an_experiment_gives_the_numbers_of_the_page_of_its_run(run: Run, lea: User, tmp_path: Path) -> None:
    experiment = Experiment.objects.get(source=run)
    plain, noise = table(tmp_path, experiment=experiment.pk)
    assert (plain["condition"], noise["condition"], noise["against"]) == ("none", "visual", "none")
    [effect] = shown(signed_in(lea), run).rows
    row = effect.row
    assert (int(noise["n"]), int(noise["pairs_arms"])) == (row.n, len(KEYS)) == (12, 12)
    for name, value in {
        "effect": row.value, "ci_low": row.ci_low, "p_value": row.p_value, "p_cluster": effect.p_cluster,
        "p_holm": effect.p_holm, "lost": effect.lost.n, "gained": effect.gained.n,
        "accuracy": row.detail["accuracy_intervened"], "accuracy_against": row.detail["accuracy_none"],
    }.items():  # fmt: skip
        assert float(noise[name]) == pytest.approx(value), name
    assert float(noise["accuracy"]) == pytest.approx(ARMS["noise-100"] / 12)
    assert effect.lost.href == "", "no list has exactly these draws"


def test_the_setting_compares_arms_with_the_sham_arm(run: Run, lab: Benchmark, lea: User, tmp_path: Path) -> None:
    before = table(tmp_path, run=[run.pk])[1]
    change_settings(actor=lea, benchmark=lab, values={"ate_reference": "sham"})
    score_benchmark(actor=lea, benchmark=lab)
    after = table(tmp_path, run=[run.pk])[1]
    assert float(after["accuracy_against"]) == pytest.approx(ARMS["sham"] / 12)
    assert float(before["accuracy_against"]) != pytest.approx(ARMS["sham"] / 12)
    assert float(after["effect"]) == pytest.approx((ARMS["noise-100"] - ARMS["sham"]) / 12)


@pytest.mark.parametrize("format", ["md", "tex"])
def test_a_paper_gets_the_table_and_all_arms_as_text(run: Run, lea: User, tmp_path: Path, format: str) -> None:
    call_command("interventions", "kitchen", run=[run.pk], format=format, output=tmp_path / "table")
    assert "Interventions on Kitchen" in (text := (tmp_path / "table").read_text())
    assert "Model C" in text
    call_command("interventions", "kitchen", run=[run.pk], arms="prefix", format=format, output=tmp_path / "arms")
    page = signed_in(lea).get(f"/benchmarks/kitchen/runs/{run.pk}/lab/?format={format}")
    assert (tmp_path / "arms").read_bytes() == b"".join(page.streaming_content)


def test_what_is_not_there_is_said(lab: Benchmark) -> None:
    other = Run.objects.of(lab).get(model__name="Model D")
    for options, said in (
        ({"run": [other.pk]}, "No run has an intervention"),
        ({"experiment": 0, "run": [0]}, "no run 0"),
        ({"experiment": 987}, "no experiment 987"),
        ({"run": [other.pk], "arms": "prefix"}, "no sham arm"),
        ({"arms": "prefix"}, "Name one run"),
    ):
        with pytest.raises(CommandError, match=said):
            call_command("interventions", "kitchen", **options)
