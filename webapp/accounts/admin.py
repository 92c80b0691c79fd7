from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext

from webapp.accounts.actions import create_reset_link, email_reset_link
from webapp.accounts.closing import refuse_last_lead
from webapp.accounts.models import ApiToken, Invitation, User
from webapp.common.errors import ApplicationError, Conflict
from webapp.common.once import forget_once, keep_once, kept_once


class AccountForm(UserChangeForm):
    """The form of an account. One that alone leads a benchmark can't be closed."""

    def clean_is_active(self) -> bool:
        active = bool(self.cleaned_data["is_active"])
        if self.instance.is_active and not active:
            try:
                refuse_last_lead(self.instance)
            except Conflict as error:
                raise ValidationError(error.message) from error
        return active


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    form = AccountForm
    ordering = ("email",)
    list_display = ("email", "name", "email_verified", "is_staff", "is_active", "date_joined", "last_login")
    list_filter = ("is_staff", "is_active", "email_verified")
    search_fields = ("email", "name")
    readonly_fields = ("date_joined", "last_login")
    filter_horizontal = ()
    change_form_template = "admin/accounts/user/change_form.html"
    fieldsets = (
        (None, {"fields": ("email", "email_verified", "name", "password")}),
        ("Rights", {"fields": ("is_active", "is_staff", "is_superuser")}),
        ("Times", {"fields": ("date_joined", "last_login")}),
    )
    add_fieldsets = (
        (None, {"classes": ("wide",), "fields": ("email", "email_verified", "name", "password1", "password2")}),
    )

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.reset_link)
        return [path("<id>/reset-link/", view, name="accounts_user_reset_link"), *super().get_urls()]

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        # A new address is not verified, unless the same form says so.
        if change and "email" in form.changed_data and "email_verified" not in form.changed_data:
            obj.email_verified = False
        super().save_model(request, obj, form, change)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Accounts that alone lead a benchmark are protected, like those with work."""
        deleted, counts, needed, protected = super().get_deleted_objects(objs, request)
        for person in objs:
            try:
                refuse_last_lead(person, objs)
            except Conflict as error:
                protected = [*protected, error.message]
        return deleted, counts, needed, protected

    def reset_link(self, request: HttpRequest, id: str) -> HttpResponse:
        """Template admin/accounts/user/reset_link.html; context: person, link (just created, shown once; else ""),
        sends_email. Posted: ``email`` to send the link, else it is shown."""
        person = self.get_object(request, unquote(id))
        if not self.has_change_permission(request, person):
            raise PermissionDenied
        if person is None:
            raise Http404
        about = f"reset link {person.pk}"
        if request.method == "POST":
            return self._hand_over(request, person, about)
        link = kept_once(request, about)
        context = {
            **self.admin_site.each_context(request),
            "title": f"Reset link for {person.email}",
            "opts": self.opts,
            "person": person,
            "link": link,
            "sends_email": settings.SENDS_EMAIL,
        }
        answer = TemplateResponse(request, "admin/accounts/user/reset_link.html", context).render()
        return forget_once(answer) if link else answer

    def _hand_over(self, request: Any, person: User, about: str) -> HttpResponse:
        answer = redirect(request.path)
        try:
            if "email" in request.POST and settings.SENDS_EMAIL:
                email_reset_link(user=person, actor=request.user)
                messages.success(
                    request,
                    gettext("A link was sent to %(email)s. It expires after 24 hours.") % {"email": person.email},
                )
                return answer
            link = request.build_absolute_uri(create_reset_link(user=person, actor=request.user))
        except ApplicationError as error:
            messages.error(request, error.message)
            return answer
        return keep_once(request, answer, about, link)


class ReadOnlyAdmin(admin.ModelAdmin):
    """Read-only. These rows are created by actions only, because they come with a secret that is shown once."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    list_display = ("email", "invited_by", "created", "expires", "accepted_at")
    list_select_related = ("invited_by",)
    search_fields = ("email",)
    exclude = ("token_hash",)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ("name", "user", "scopes", "benchmark", "created", "last_used", "expires")
    list_select_related = ("user",)
    search_fields = ("name", "user__email")
    exclude = ("token_hash",)
