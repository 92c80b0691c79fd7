from django.urls import path

from webapp.accounts import keys_views, reset_views, views

app_name = "accounts"

urlpatterns = [
    path("sign-in/", views.sign_in, name="sign-in"),
    path("set-up/<str:signed>/", views.set_up, name="set-up"),
    path("session/", views.session, name="session"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("reset/", reset_views.request_reset, name="request-reset"),
    path("reset/<int:user_id>/<slug:token>/", reset_views.reset_password, name="reset-password"),
    path("verify/<str:signed>/", reset_views.verify, name="verify"),
    path("account/verify/", reset_views.send_verification, name="send-verification"),
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
