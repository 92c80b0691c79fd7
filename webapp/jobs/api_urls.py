from django.urls import path

from webapp.jobs import api

urlpatterns = [
    path("", api.jobs, name="api-jobs"),
    path("<uuid:job_id>/", api.job, name="api-job"),
    path("<uuid:job_id>/cancel/", api.cancel, name="api-job-cancel"),
    path("<uuid:job_id>/retry/", api.retry, name="api-job-retry"),
]
