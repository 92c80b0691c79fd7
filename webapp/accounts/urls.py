from django.urls import path

from webapp.accounts import keys_views, views

app_name = "accounts"

urlpatterns = [
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("invitation/<str:secret>/", views.accept_invitation, name="accept-invitation"),
    path("account/", views.account, name="account"),
    path("account/keys/", keys_views.keys, name="keys"),
    path("account/name/", views.rename, name="rename"),
    path("account/password/", views.change_password, name="change-password"),
    path("account/sessions/sign-out/", views.sign_out_others, name="sign-out-others"),
    path("account/sessions/<slug:session_id>/end/", views.end_session, name="end-session"),
    path("account/tokens/", views.create_token, name="create-token"),
    path("account/tokens/<int:token_id>/revoke/", views.revoke_token, name="revoke-token"),
]
