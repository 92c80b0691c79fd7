from django.urls import path

from webapp.jobs import views

app_name = "jobs"

urlpatterns = [
    path("", views.jobs, name="jobs"),
    path("indicator/", views.indicator, name="indicator"),
    path("<uuid:job_id>/", views.job, name="job"),
    path("<uuid:job_id>/cancel/", views.cancel, name="cancel"),
    path("<uuid:job_id>/retry/", views.retry, name="retry"),
]
