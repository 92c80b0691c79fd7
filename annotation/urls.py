from django.urls import path

from annotation.views import (
    agreement,
    annotate_json,
    annotate_pages,
    benchmarks,
    gold_checks,
    images,
    people,
    review_json,
    review_lead_json,
    review_pages,
    samples,
    settings,
    upload,
    versions,
)

app_name = "annotation"

IMAGES = "benchmarks/<slug:slug>/images/<slug:sha256>"
ANNOTATE = "benchmarks/<slug:slug>/annotate"
QUALITY = "benchmarks/<slug:slug>/quality"
REVIEW = "benchmarks/<slug:slug>/review"

urlpatterns = [
    path("benchmarks/", benchmarks.benchmarks, name="benchmarks"),
    path("benchmarks/new/", benchmarks.new_benchmark, name="new-benchmark"),
    path("benchmarks/<slug:slug>/", samples.samples, name="benchmark"),
    path("benchmarks/<slug:slug>/samples/", samples.samples, name="samples"),
    path("benchmarks/<slug:slug>/upload/", upload.upload, name="upload"),
    path("benchmarks/<slug:slug>/upload/<int:record>/", upload.upload_record, name="upload-record"),
    path("benchmarks/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path("benchmarks/<slug:slug>/agreement/people/", agreement.people, name="agreement-people"),
    path(f"{QUALITY}/", gold_checks.gold_checks, name="gold-checks"),
    path(f"{QUALITY}/checks/rules/", gold_checks.check_rules, name="check-rules"),
    path(f"{QUALITY}/checks/add/", gold_checks.add_gold_checks, name="add-checks"),
    path(f"{QUALITY}/checks/<int:pk>/retire/", gold_checks.retire_gold_check, name="retire-check"),
    path(f"{QUALITY}/checks/answers/<int:pk>/decide/", gold_checks.decide_gold_check, name="decide-check"),
    path(f"{QUALITY}/pauses/<int:pk>/lift/", gold_checks.lift, name="lift-pause"),
    path("benchmarks/<slug:slug>/settings/", settings.settings, name="settings"),
    path("benchmarks/<slug:slug>/settings/people/<int:pk>/", people.person, name="person"),
    path("benchmarks/<slug:slug>/settings/invitations/", people.invite, name="invite"),
    path("benchmarks/<slug:slug>/settings/invitations/<int:pk>/withdraw/", people.withdraw, name="withdraw"),
    path("benchmarks/<slug:slug>/versions/", versions.versions, name="versions"),
    path("benchmarks/<slug:slug>/versions/freeze/", versions.freeze, name="freeze"),
    path(f"{IMAGES}/thumbnail.jpg", images.thumbnail, name="thumbnail"),
    path(f"{IMAGES}/tiles/<int:level>/<int:column>_<int:row>.jpg", images.tile, name="tile"),
    path(f"{IMAGES}/regions/<str:box>/<int:side>.jpg", images.region, name="region"),
    path(f"{ANNOTATE}/", annotate_pages.annotate, name="annotate"),
    path(f"{ANNOTATE}/next/", annotate_pages.annotate_next, name="annotate-next"),
    path(f"{ANNOTATE}/assign/", review_lead_json.assign_samples, name="assign"),
    path(f"{ANNOTATE}/<path:key>/draft/", annotate_json.draft, name="draft"),
    path(f"{ANNOTATE}/<path:key>/submit/", annotate_json.submit_sample, name="submit"),
    path(f"{ANNOTATE}/<path:key>/skip/", annotate_json.skip_sample, name="skip"),
    path(f"{ANNOTATE}/<path:key>/release/", annotate_json.release_sample, name="release"),
    path(f"{ANNOTATE}/<path:key>/renew/", annotate_json.renew_sample, name="renew"),
    path(f"{ANNOTATE}/<path:key>/", annotate_pages.annotate_sample, name="annotate-sample"),
    path(f"{REVIEW}/", review_pages.review, name="review"),
    path(f"{REVIEW}/next/", review_pages.review_next, name="review-next"),
    path(f"{REVIEW}/send-back/", review_lead_json.send_back_samples, name="send-back"),
    path(f"{REVIEW}/comments/<int:pk>/resolve/", review_json.resolve, name="comment-resolve"),
    path(f"{REVIEW}/<path:key>/blind/", review_json.blind, name="review-blind"),
    path(f"{REVIEW}/<path:key>/decide/", review_json.decide_sample, name="review-decide"),
    path(f"{REVIEW}/<path:key>/comments/", review_json.comments, name="review-comments"),
    path(f"{REVIEW}/<path:key>/skip/", review_json.skip_review, name="review-skip"),
    path(f"{REVIEW}/<path:key>/release/", review_json.release_review, name="review-release"),
    path(f"{REVIEW}/<path:key>/renew/", review_json.renew_review, name="review-renew"),
    path(f"{REVIEW}/<path:key>/reopen/", review_lead_json.reopen_sample, name="reopen"),
    path(f"{REVIEW}/<path:key>/", review_pages.review_sample, name="review-sample"),
]
