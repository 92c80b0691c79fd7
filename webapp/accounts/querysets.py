from __future__ import annotations

from datetime import datetime
from typing import Any, Self

from django.db import models
from django.db.models import Count, Min, Q
from django.utils import timezone


class InvitationQuerySet(models.QuerySet[Any]):
    def open(self) -> Self:
        """Neither accepted nor past its day."""
        return self.filter(accepted_at=None, expires__gt=timezone.now())


class ApiTokenQuerySet(models.QuerySet[Any]):
    def usable(self) -> Self:
        """Not expired, and of a person who can sign in."""
        return self.filter(expires__gt=timezone.now(), user__is_active=True).select_related("user")


class SignInAttemptQuerySet(models.QuerySet[Any]):
    def sign_ins(self) -> Self:
        return self.filter(purpose=self.model.SIGN_IN)

    def counted(self, *, email: str, address: str | None) -> dict[str, int]:
        """Failed tries by the pair of account and address, by the account, and by the address: one query."""
        same_email, same_address = Q(email=email), Q(address=address)
        return self.filter(same_email | same_address).aggregate(
            pair=Count("pk", filter=same_email & same_address),
            account=Count("pk", filter=same_email),
            address=Count("pk", filter=same_address),
        )

    def earliest_moment(self) -> datetime | None:
        return self.aggregate(earliest=Min("at"))["earliest"]
