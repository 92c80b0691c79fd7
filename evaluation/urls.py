from django.urls import URLPattern, URLResolver, path

from evaluation.views import home

app_name = "evaluation"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
]
