from django.urls import path

from webapp.notifications import views

app_name = "notifications"

urlpatterns = [
    path("", views.inbox, name="inbox"),
    path("bell/", views.bell, name="bell"),
    path("settings/", views.settings, name="settings"),
    path("unsubscribe/<str:signed>/", views.unsubscribe, name="unsubscribe"),
    path("read/", views.read_all, name="read-all"),
    path("<int:pk>/read/", views.read, name="read"),
]
