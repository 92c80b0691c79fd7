from django.urls import path

from annotation.benchmarks.views import benchmarks, log, people, settings, trash
from annotation.benchmarks.views import queue as queue_settings
from annotation.board import views as board_pages
from annotation.exchange import views as upload
from annotation.guidelines import views as guide
from annotation.planning.views import plan as work_plan
from annotation.planning.views import time as work_time
from annotation.quality.views import agreement, audits
from annotation.quality.views import auditing as audit_pages
from annotation.quality.views import checks as gold_checks
from annotation.quality.views import opinions as second_opinions
from annotation.quality.views import qualification as qualification_test
from annotation.review.views import adjudication
from annotation.review.views import pages as review_pages
from annotation.review.views import requests as review_json
from annotation.samples.views import images, samples
from annotation.studio.views import pages as annotate_pages
from annotation.studio.views import requests as annotate_json
from annotation.studio.views import suggestions
from annotation.task import views as task
from annotation.tools.views import bank as tools
from annotation.variants import views as image_variants
from annotation.versions import views as versions
from annotation.webhooks import views as hooks
from annotation.work.views import problems as work_problems
from annotation.work.views import reopen as work_reopen
from annotation.work.views import replacement as work_replacement
from annotation.work.views import samples as work_samples
from annotation.work.views import takedown as work_takedown
from annotation.work.views import work
from annotation.workbench.views import end as workbench_end
from annotation.workbench.views import page as workbench
from annotation.workbench.views import requests as workbench_json
from webapp.common.addresses import KEY

app_name = "annotation"

IMAGES = "benchmarks/<slug:slug>/images/<slug:sha256>"
ANNOTATE = "benchmarks/<slug:slug>/annotate"
AUDIT = "benchmarks/<slug:slug>/audit"
BOARD = "benchmarks/<slug:slug>/board"
QUALITY = "benchmarks/<slug:slug>/quality"
WORK = "benchmarks/<slug:slug>/work"
REVIEW = "benchmarks/<slug:slug>/review"
TOOLS = "benchmarks/<slug:slug>/settings/tools"
WEBHOOKS = "benchmarks/<slug:slug>/settings/webhooks"
VARIANTS = "benchmarks/<slug:slug>/variants"
CHAIN = "benchmarks/<slug:slug>/toolchain"

urlpatterns = [
    path("benchmarks/", benchmarks.benchmarks, name="benchmarks"),
    path("benchmarks/new/", benchmarks.new_benchmark, name="new-benchmark"),
    path("trash/", trash.trash, name="trash"),
    path("trash/<slug:slug>/restore/", trash.restore, name="restore-benchmark"),
    path("trash/<slug:slug>/purge/", trash.purge, name="purge-benchmark"),
    path("benchmarks/<slug:slug>/settings/delete/", trash.delete, name="delete-benchmark"),
    path("benchmarks/<slug:slug>/", samples.samples, name="benchmark"),
    path("benchmarks/<slug:slug>/samples/", samples.samples, name="samples"),
    path("benchmarks/<slug:slug>/upload/", upload.upload, name="upload"),
    path("benchmarks/<slug:slug>/upload/<int:record>/", upload.upload_record, name="upload-record"),
    path("benchmarks/<slug:slug>/settings/log/", log.log, name="log"),
    path("benchmarks/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path("benchmarks/<slug:slug>/agreement/people/", agreement.people, name="agreement-people"),
    path(f"{BOARD}/", board_pages.board, name="board"),
    path(f"{BOARD}/items/<int:number>/", board_pages.board_item, name="board-item"),
    path(f"{BOARD}/items/<int:number>/image/", board_pages.board_image, name="board-image"),
    path(f"{BOARD}/items/<int:number>/check/", board_pages.board_check, name="board-check"),
    path(f"{BOARD}/items/<int:number>/pair/", board_pages.board_pair, name="board-pair"),
    path(f"{BOARD}/pairs/{KEY}/", board_pages.board_pair_sample, name="board-pair-sample"),
    path(f"{BOARD}/items/<int:number>/move/", board_pages.board_move, name="board-move"),
    path(f"{BOARD}/items/<int:number>/reject/", board_pages.board_reject, name="board-reject"),
    path(f"{QUALITY}/", gold_checks.gold_checks, name="gold-checks"),
    path(f"{QUALITY}/checks/rules/", gold_checks.check_rules, name="check-rules"),
    path(f"{QUALITY}/checks/add/", gold_checks.add_gold_checks, name="add-checks"),
    path(f"{QUALITY}/checks/<int:pk>/retire/", gold_checks.retire_gold_check, name="retire-check"),
    path(f"{QUALITY}/checks/answers/<int:pk>/decide/", gold_checks.decide_gold_check, name="decide-check"),
    path(f"{QUALITY}/qualification/", qualification_test.qualification, name="qualification"),
    path(f"{QUALITY}/qualification/rules/", qualification_test.qualification_rules, name="qualification-rules"),
    path(f"{QUALITY}/qualification/waive/", qualification_test.qualification_waive, name="qualification-waive"),
    path(f"{QUALITY}/audits/", audits.audits, name="audits"),
    path(f"{QUALITY}/audits/draw/", audits.draw, name="draw-audit"),
    path(f"{QUALITY}/audits/<int:pk>/settle/", audits.settle, name="settle-audit"),
    path(f"{AUDIT}/", audit_pages.audit, name="audit"),
    path(f"{AUDIT}/next/", audit_pages.audit_next, name="audit-next"),
    path(f"{AUDIT}/blind/{KEY}/", audit_pages.audit_blind, name="audit-blind"),
    path(f"{AUDIT}/decide/{KEY}/", audit_pages.audit_decide, name="audit-decide"),
    path(f"{AUDIT}/release/{KEY}/", audit_pages.audit_release, name="audit-release"),
    path(f"{AUDIT}/renew/{KEY}/", audit_pages.audit_renew, name="audit-renew"),
    path(f"{AUDIT}/samples/{KEY}/", audit_pages.audit_sample, name="audit-sample"),
    path(f"{QUALITY}/opinions/", second_opinions.second_opinions, name="second-opinions"),
    path(f"{QUALITY}/opinions/extra/", second_opinions.extra_annotators, name="extra-annotators"),
    path("benchmarks/<slug:slug>/settings/", settings.settings, name="settings"),
    path("benchmarks/<slug:slug>/settings/task/", task.task, name="task"),
    path("benchmarks/<slug:slug>/settings/task/preview/", task.preview, name="task-preview"),
    path("benchmarks/<slug:slug>/settings/task/affected/", task.affected, name="task-affected"),
    path("benchmarks/<slug:slug>/settings/task/activate/", task.put_in_force, name="task-activate"),
    path("benchmarks/<slug:slug>/settings/task/discard/", task.discard, name="task-discard"),
    path("benchmarks/<slug:slug>/settings/queue/", queue_settings.queue_settings, name="queue-settings"),
    path("benchmarks/<slug:slug>/settings/suggestions/", suggestions.suggestions, name="suggestions"),
    path("benchmarks/<slug:slug>/settings/people/<int:pk>/", people.person, name="person"),
    path("benchmarks/<slug:slug>/settings/people/<int:pk>/take-over/", people.take_over, name="take-over"),
    path("benchmarks/<slug:slug>/settings/invitations/", people.invite, name="invite"),
    path("benchmarks/<slug:slug>/settings/invitations/<int:pk>/withdraw/", people.withdraw, name="withdraw"),
    path("benchmarks/<slug:slug>/guidelines/", guide.guidelines, name="guidelines"),
    path("benchmarks/<slug:slug>/guidelines/read/", guide.guidelines_read, name="guidelines-read"),
    path("benchmarks/<slug:slug>/guidelines/panel/", guide.guidelines_panel, name="guidelines-panel"),
    path("benchmarks/<slug:slug>/settings/guidelines/", guide.guidelines_settings, name="guidelines-settings"),
    path("benchmarks/<slug:slug>/settings/guidelines/images/", guide.guidelines_images, name="guidelines-images"),
    path(
        "benchmarks/<slug:slug>/settings/guidelines/images/<slug:name>/delete/",
        guide.guidelines_image_delete,
        name="guidelines-image-delete",
    ),
    path("benchmarks/<slug:slug>/settings/guidelines/preview/", guide.guidelines_preview, name="guidelines-preview"),
    path(f"{TOOLS}/", tools.tools, name="tools"),
    path(f"{TOOLS}/bank.csv", tools.bank_file, name="tools-file"),
    path(f"{TOOLS}/import/", tools.bank_import, name="tools-import"),
    path(f"{TOOLS}/<int:pk>/", tools.tool, name="tool"),
    path(f"{TOOLS}/<int:pk>/merge/", tools.merge, name="tool-merge"),
    path(f"{TOOLS}/<int:pk>/refuse/", tools.refuse, name="tool-refuse"),
    path(f"{WEBHOOKS}/", hooks.webhooks, name="webhooks"),
    path(f"{WEBHOOKS}/<int:pk>/", hooks.webhook, name="webhook"),
    path(f"{WEBHOOKS}/<int:pk>/test/", hooks.act, {"verb": "test"}, name="webhook-test"),
    path(f"{WEBHOOKS}/<int:pk>/enable/", hooks.act, {"verb": "enable"}, name="webhook-enable"),
    path(f"{WEBHOOKS}/<int:pk>/disable/", hooks.act, {"verb": "disable"}, name="webhook-disable"),
    path(f"{WEBHOOKS}/<int:pk>/secret/", hooks.act, {"verb": "secret"}, name="webhook-secret"),
    path(f"{WEBHOOKS}/<int:pk>/remove/", hooks.act, {"verb": "remove"}, name="webhook-remove"),
    path(f"{WEBHOOKS}/<int:pk>/deliveries/<int:delivery>/again/", hooks.again, name="webhook-again"),
    path(f"{WORK}/", work.work, name="work"),
    path(f"{WORK}/pause/", work.pause_work, name="work-pause"),
    path(f"{WORK}/resume/", work.resume_work, name="work-resume"),
    path(f"{WORK}/leases/<int:pk>/release/", work.release, name="work-release"),
    path(f"{WORK}/problems/report/{KEY}/", work_problems.report, name="report-problem"),
    path(f"{WORK}/problems/<int:pk>/resolve/", work_problems.resolve, name="resolve-problem"),
    path(f"{WORK}/samples/", work_samples.work_samples, name="work-samples"),
    path(f"{WORK}/facets/<int:pk>/undo/", work_samples.undo_facets, name="work-facets-undo"),
    path(f"{WORK}/samples/<slug:verb>/", work_samples.act_on_samples, name="work-act"),
    path(f"{WORK}/outcomes/<int:pk>/", work_samples.work_outcome, name="work-outcome"),
    path(f"{WORK}/plan/", work_plan.plan, name="work-plan"),
    path(f"{WORK}/plan/<int:pk>/", work_plan.package, name="work-package"),
    path(f"{WORK}/plan/<int:pk>/remove/", work_plan.remove, name="work-package-remove"),
    path(f"{WORK}/time/", work_time.work_time, name="work-time"),
    path(f"{WORK}/time/close/", work_time.work_time_close, name="work-time-close"),
    path(f"{WORK}/time/rates/", work_time.work_time_rate, name="work-time-rate"),
    path(f"{WORK}/time/rates/<int:pk>/remove/", work_time.work_time_rate_remove, name="work-time-rate-remove"),
    path(f"{WORK}/time/<slug:month>.<slug:kind>", work_time.work_time_file, name="work-time-file"),
    path(f"{WORK}/reopen/{KEY}/", work_reopen.reopen_sample, name="work-reopen"),
    path(f"{WORK}/remove-image/{KEY}/", work_takedown.take_down_image, name="work-remove-image"),
    path(f"{WORK}/allow-image/{KEY}/", work_takedown.allow_image, name="work-allow-image"),
    path(f"{WORK}/replace-image/{KEY}/", work_replacement.replace_sample_image, name="work-replace-image"),
    path("toolbox/", workbench.toolbox, name="toolbox"),
    path(f"{CHAIN}/run/{KEY}/", workbench_json.run, name="chain-run"),
    path(f"{CHAIN}/verify/{KEY}/", workbench_json.verify, name="chain-verify"),
    path(f"{CHAIN}/end/{KEY}/", workbench_end.end, name="chain-end"),
    path(f"{CHAIN}/accept/{KEY}/", workbench_json.accept, name="chain-accept"),
    path(f"{CHAIN}/accepted/<int:pk>/remove/", workbench_json.remove, name="chain-remove"),
    path(f"{CHAIN}/samples/{KEY}/", workbench.workbench, name="workbench"),
    path(f"{VARIANTS}/preview/{KEY}/", image_variants.variant_preview, name="variant-preview"),
    path(f"{VARIANTS}/samples/{KEY}/", image_variants.variants, name="variants"),
    path("benchmarks/<slug:slug>/versions/", versions.versions, name="versions"),
    path("benchmarks/<slug:slug>/versions/freeze/", versions.freeze, name="freeze"),
    path(f"{IMAGES}/thumbnail.jpg", images.thumbnail, name="thumbnail"),
    path(f"{IMAGES}/tiles/<int:level>/<int:column>_<int:row>.jpg", images.tile, name="tile"),
    path(f"{IMAGES}/regions/<str:box>/<int:side>.jpg", images.region, name="region"),
    path(f"{ANNOTATE}/", annotate_pages.annotate, name="annotate"),
    path(f"{ANNOTATE}/next/", annotate_pages.annotate_next, name="annotate-next"),
    path(f"{ANNOTATE}/mine/", annotate_pages.my_work, name="my-work"),
    path(f"{ANNOTATE}/mine/previous/{KEY}/", annotate_pages.my_neighbor, {"older": True}, name="my-previous"),
    path(f"{ANNOTATE}/mine/following/{KEY}/", annotate_pages.my_neighbor, {"older": False}, name="my-following"),
    path(f"{ANNOTATE}/another/{KEY}/", annotate_pages.ask_another_question, name="ask-another"),
    path(f"{ANNOTATE}/draft/{KEY}/", annotate_json.draft, name="draft"),
    path(f"{ANNOTATE}/submit/{KEY}/", annotate_json.submit_sample, name="submit"),
    path(f"{ANNOTATE}/take-back/{KEY}/", annotate_json.take_back_sample, name="take-back"),
    path(f"{ANNOTATE}/hand-in/{KEY}/", annotate_json.hand_in_sample, name="hand-in"),
    path(f"{ANNOTATE}/skip/{KEY}/", annotate_json.skip_sample, name="skip"),
    path(f"{ANNOTATE}/release/{KEY}/", annotate_json.release_sample, name="release"),
    path(f"{ANNOTATE}/renew/{KEY}/", annotate_json.renew_sample, name="renew"),
    path(f"{ANNOTATE}/time/{KEY}/", annotate_json.work_time, name="annotate-time"),
    path(f"{ANNOTATE}/ahead/{KEY}/", annotate_json.ahead, name="ahead"),
    path(f"{ANNOTATE}/samples/{KEY}/", annotate_pages.annotate_sample, name="annotate-sample"),
    path(f"{REVIEW}/", review_pages.review, name="review"),
    path(f"{REVIEW}/next/", review_pages.review_next, name="review-next"),
    path(f"{REVIEW}/resolve/<int:pk>/", review_json.resolve, name="comment-resolve"),
    path(f"{REVIEW}/blind/{KEY}/", review_json.blind, name="review-blind"),
    path(f"{REVIEW}/decide/{KEY}/", review_json.decide_sample, name="review-decide"),
    path(f"{REVIEW}/comments/{KEY}/", review_json.comments, name="review-comments"),
    path(f"{REVIEW}/skip/{KEY}/", review_json.skip_review, name="review-skip"),
    path(f"{REVIEW}/release/{KEY}/", review_json.release_review, name="review-release"),
    path(f"{REVIEW}/renew/{KEY}/", review_json.renew_review, name="review-renew"),
    path(f"{REVIEW}/time/{KEY}/", review_json.review_time, {"role": "review"}, name="review-time"),
    path(f"{REVIEW}/samples/{KEY}/", review_pages.review_sample, name="review-sample"),
    path(f"{REVIEW}/adjudication/{KEY}/", adjudication.adjudication, name="adjudication"),
    path(
        f"{REVIEW}/adjudication-time/{KEY}/", review_json.review_time, {"role": "adjudicate"}, name="adjudication-time"
    ),
    path(f"{REVIEW}/adjudicate/{KEY}/", adjudication.decide_adjudication, name="adjudicate"),
]
