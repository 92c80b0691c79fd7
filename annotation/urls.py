from django.urls import path

from annotation.views import benchmarks, images, samples

app_name = "annotation"

IMAGES = "benchmarks/<slug:slug>/images/<slug:sha256>"

urlpatterns = [
    path("benchmarks/", benchmarks.benchmarks, name="benchmarks"),
    path("benchmarks/new/", benchmarks.new_benchmark, name="new-benchmark"),
    path("benchmarks/<slug:slug>/", samples.samples, name="benchmark"),
    path("benchmarks/<slug:slug>/samples/", samples.samples, name="samples"),
    path(f"{IMAGES}/thumbnail.jpg", images.thumbnail, name="thumbnail"),
    path(f"{IMAGES}/tiles/<int:level>/<int:column>_<int:row>.jpg", images.tile, name="tile"),
    path(f"{IMAGES}/regions/<str:box>/<int:side>.jpg", images.region, name="region"),
]
