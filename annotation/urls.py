from django.urls import path

from annotation.views import agreement, benchmarks, images, people, samples, settings, versions

app_name = "annotation"

IMAGES = "benchmarks/<slug:slug>/images/<slug:sha256>"

urlpatterns = [
    path("benchmarks/", benchmarks.benchmarks, name="benchmarks"),
    path("benchmarks/new/", benchmarks.new_benchmark, name="new-benchmark"),
    path("benchmarks/<slug:slug>/", samples.samples, name="benchmark"),
    path("benchmarks/<slug:slug>/samples/", samples.samples, name="samples"),
    path("benchmarks/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path("benchmarks/<slug:slug>/agreement/people/", agreement.people, name="agreement-people"),
    path("benchmarks/<slug:slug>/settings/", settings.settings, name="settings"),
    path("benchmarks/<slug:slug>/settings/people/<int:pk>/", people.person, name="person"),
    path("benchmarks/<slug:slug>/settings/invitations/", people.invite, name="invite"),
    path("benchmarks/<slug:slug>/settings/invitations/<int:pk>/withdraw/", people.withdraw, name="withdraw"),
    path("benchmarks/<slug:slug>/versions/", versions.versions, name="versions"),
    path("benchmarks/<slug:slug>/versions/freeze/", versions.freeze, name="freeze"),
    path(f"{IMAGES}/thumbnail.jpg", images.thumbnail, name="thumbnail"),
    path(f"{IMAGES}/tiles/<int:level>/<int:column>_<int:row>.jpg", images.tile, name="tile"),
    path(f"{IMAGES}/regions/<str:box>/<int:side>.jpg", images.region, name="region"),
]
