from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView

from webapp.accounts.views import admin_door
from webapp.common import views
from webapp.readiness import ready

urlpatterns: list[URLPattern | URLResolver] = [
    path("live", views.live, name="live"),
    path("ready", ready, name="ready"),
    path("glossary/", views.glossary, name="glossary"),
    path("glossary/<slug:slug>/", views.glossary_term, name="glossary-term"),
    path("texts/<str:language>.json", views.ScriptTexts.as_view(packages=["webapp.common"]), name="script-texts"),
    path("admin/login/", admin_door, name="admin-door"),
    # As its sign-in, which has no limit of guesses either.
    path("admin/password_change/", RedirectView.as_view(pattern_name="accounts:account"), name="admin-password"),
    path("admin/", admin.site.urls),
    path("api/v1/schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("api/v1/jobs/", include("webapp.jobs.api_urls")),
    path("api/v1/", include("annotation.api_urls")),
    path("api/v1/", include("evaluation.api_urls")),
    path("", include("webapp.accounts.urls")),
    path("jobs/", include("webapp.jobs.urls")),
    path("notifications/", include("webapp.notifications.urls")),
    path("", include("annotation.urls")),
    path("", include("evaluation.urls")),
]

handler400 = views.bad_request
handler403 = views.permission_denied
handler404 = views.page_not_found
handler500 = views.server_error
