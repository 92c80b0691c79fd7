"""Where runs stand in a lineage: set by hand, by imports and by files, and never mixed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Benchmark, ImportRecord
from evaluation.common.lineage.write import Place, place_in, place_of, place_run
from evaluation.imports.write.runs import import_runs
from evaluation.lineages.write import delete_lineage, describe_lineage
from evaluation.models import Lineage, Run
from evaluation.runner.recipe import Recipe
from tests.conftest import signed_in
from tests.evaluation.lineages.conftest import KEYS, SETTING
from webapp.accounts.models import User
from webapp.common.errors import Conflict, InvalidInput, NotAllowed
from webapp.common.models import AuditEntry

pytestmark = pytest.mark.django_db


def file_of(folder: Path, model: str = "m", setting: str = "", **more: Any) -> Path:
    path = folder / "runs.jsonl"
    rows = [{"sample_id": key, "model": model, "setting": setting, "answer": "B", "steps": [], **more} for key in KEYS]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def run_named(benchmark: Benchmark, model: str) -> Run:
    return Run.objects.select_related("lineage", "model", "benchmark").get(benchmark=benchmark, model__name=model)


def place(benchmark: Benchmark, model: str) -> Place | None:
    return place_in(run_named(benchmark, model))


def test_a_run_is_placed_moved_and_taken_out_with_an_audit_entry_each(kitchen: Benchmark, lea: User) -> None:
    client, run = signed_in(lea), run_named(kitchen, "m-100")
    address = f"/benchmarks/kitchen/runs/{run.pk}/place/"
    client.post(address, {"lineage": "DPO", "step": "7"})
    assert place(kitchen, "m-100") == Place("DPO", 7)
    client.post(address, {"lineage": "", "step": ""})
    assert place(kitchen, "m-100") is None
    entries = AuditEntry.objects.filter(action="run.place", subject_id=str(run.pk)).order_by("pk")
    assert [(one.before, one.after) for one in entries][-2:] == [("GRPO@100", "DPO@7"), ("DPO@7", "")]


@pytest.mark.parametrize(
    ("lineage", "step"), [("GRPO", ""), ("", "3"), ("GRPO", "-1"), ("GRPO", "1.5"), ("x" * 201, "1")]
)
def test_half_a_place_is_refused(kitchen: Benchmark, lea: User, lineage: str, step: str) -> None:
    with pytest.raises(InvalidInput):
        place_of(lineage, step)
    run = run_named(kitchen, "m-100")
    signed_in(lea).post(f"/benchmarks/kitchen/runs/{run.pk}/place/", {"lineage": lineage, "step": step})
    assert place(kitchen, "m-100") == Place("GRPO", 100)


def test_two_runs_of_one_setting_never_share_a_step(kitchen: Benchmark, lea: User) -> None:
    with pytest.raises(Conflict):
        place_run(actor=lea, run=run_named(kitchen, "m-100"), place=Place("GRPO", 200), move=True)


def test_only_who_imports_runs_places_them(kitchen: Benchmark, sam: User) -> None:
    with pytest.raises(NotAllowed):
        place_run(actor=sam, run=run_named(kitchen, "m-100"), place=None, move=True)


def test_an_import_places_its_run(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    call_command("import_runs", "kitchen", file_of(tmp_path), "--lineage", "GRPO", "--step", "500")
    assert place(kitchen, "m") == Place("GRPO", 500)
    record = ImportRecord.objects.latest("pk")
    assert (record.options["lineage"], record.options["step"]) == ("GRPO", 500)


def test_a_later_checkpoint_is_not_imported_into_the_run_of_an_earlier_one(
    kitchen: Benchmark, lea: User, tmp_path: Path
) -> None:
    path = file_of(tmp_path)
    call_command("import_runs", "kitchen", path, "--lineage", "GRPO", "--step", "500")
    path.write_text(path.read_text().replace('"B"', '"A"'))
    with pytest.raises(CommandError, match="another setting"):
        call_command("import_runs", "kitchen", path, "--lineage", "GRPO", "--step", "600")
    assert set(run_named(kitchen, "m").trajectories.values_list("answer", flat=True)) == {"B"}


def test_a_file_can_name_the_step_itself(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    path = file_of(tmp_path, lineage="SFT", step=12)
    import_runs(actor=lea, benchmark=kitchen, path=path, format="native")
    assert place(kitchen, "m") == Place("SFT", 12)


def test_a_file_with_another_key_step_names_none(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    import_runs(actor=lea, benchmark=kitchen, path=file_of(tmp_path, step=12), format="native")
    assert place(kitchen, "m") is None


def test_a_replacement_keeps_the_place(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    path = file_of(tmp_path)
    first, _ = import_runs(actor=lea, benchmark=kitchen, path=path, format="native", lineage="GRPO", step=500)
    path.write_text(path.read_text().replace('"B"', '"A"'))
    import_runs(actor=lea, benchmark=kitchen, path=path, format="native", replaces=first.pk)
    assert place(kitchen, "m") == Place("GRPO", 500)
    import_runs(actor=lea, benchmark=kitchen, path=path, format="native", replaces=ImportRecord.objects.latest("pk").pk,
                lineage="GRPO", step=501)  # fmt: skip
    assert place(kitchen, "m") == Place("GRPO", 501)


def test_the_same_model_name_at_another_step_has_another_recipe() -> None:
    """Else attempts of an earlier checkpoint under the same name would be reused."""
    one, other = (Recipe.of("zoom", "m", "http://localhost:8000/v1", checkpoint=step) for step in ("GRPO@1", "GRPO@2"))
    without = Recipe.of("zoom", "m", "http://localhost:8000/v1")
    assert len({one.digest(), other.digest(), without.digest()}) == 3
    assert Recipe.from_json(one.to_json()) == one
    assert "checkpoint" not in without.to_json()


def test_a_lineage_is_described_and_deleted_without_its_runs(kitchen: Benchmark, lea: User) -> None:
    lineage = Lineage.objects.select_related("benchmark").get(benchmark=kitchen)
    describe_lineage(actor=lea, lineage=lineage, values={"name": "GRPO 2", "base_model": "Base", "data": "D"})
    lineage.refresh_from_db()
    assert (lineage.name, lineage.base_model, lineage.reward_scheme) == ("GRPO 2", "Base", "")
    delete_lineage(actor=lea, lineage=lineage)
    assert not Lineage.objects.exists()
    assert Run.objects.filter(benchmark=kitchen, setting=SETTING).count() == 5
    actions = AuditEntry.objects.filter(action__startswith="lineage.").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["lineage.create", "lineage.describe", "lineage.delete"]


def test_an_upload_with_half_a_place_cannot_be_committed(kitchen: Benchmark, lea: User, tmp_path: Path) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    from evaluation.imports.write.upload import blocking_reason, store_upload, update_choices

    upload = SimpleUploadedFile("runs.jsonl", file_of(tmp_path).read_bytes())
    record = store_upload(actor=lea, benchmark=kitchen, file=upload, choices={"kind": "runs", "lineage": "GRPO"})
    ImportRecord.objects.filter(pk=record.pk).update(state="preview", counts={"new": 1})
    record.refresh_from_db()
    assert "step" in blocking_reason(record)
    record = update_choices(actor=lea, record=record, choices={"step": "9"})
    assert record.options["lineage"] == "GRPO"
    assert record.options["step"] == "9"
