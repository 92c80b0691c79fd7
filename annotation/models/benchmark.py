from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import NamedTuple

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.utils.functional import cached_property

from annotation.models.querysets.samples import BenchmarkQuerySet, ContentChangeQuerySet
from annotation.task_schema import NO_SCHEMA, TaskSchema
from annotation.workflow import Role

KEY = RegexValidator(
    r"^[a-z0-9][a-z0-9-]*$", "Use small letters, digits and hyphens, beginning with a letter or digit."
)


class Standing(NamedTuple):
    """The status of a person on a benchmark: their roles, and whether they are in the middle of a judging queue or of a
    human study."""

    roles: frozenset[Role] = frozenset()
    judging: bool = False
    studying: bool = False


class BenchmarkManager(models.Manager.from_queryset(BenchmarkQuerySet)):  # type: ignore[misc]  # made by Django
    """The benchmarks there are: without those in the trash."""

    def get_queryset(self) -> BenchmarkQuerySet:
        return super().get_queryset().filter(deleted_at=None)


class Benchmark(models.Model):
    """A set of samples with gold evidence, the people who make it and the runs made on it.

    ``deleted_at``: it is in the trash since then. ``objects`` knows nothing of such benchmarks, ``everything`` does.
    No person has a role on one (``annotation.common.access``).
    """

    slug = models.CharField(max_length=60, unique=True, validators=[KEY])
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True, default="")
    licence = models.CharField(max_length=200, blank=True, default="")
    public = models.BooleanField(default=False, help_text="Anyone may read the leaderboard and what lies behind it.")
    marks_open = models.BooleanField(
        default=False, db_default=False, help_text="Visitors see notes, shared tags and who wrote them."
    )
    remove_metadata = models.BooleanField(
        default=True, db_default=True, help_text="Images are stored without EXIF, GPS position and other metadata."
    )
    remote_allowed = models.BooleanField(
        default=False, db_default=False, help_text="Experiments may send images to endpoints on other servers."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    runs_numbered = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Numbers that runs were given. None is given twice."
    )

    deleted_at = models.DateTimeField(null=True, blank=True, help_text="When it was put in the trash.")
    deleted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    purging = models.BooleanField(
        default=False, db_default=False, help_text="A job deletes it permanently. It can't be restored."
    )

    uid = models.UUIDField(
        default=uuid.uuid4, editable=False, help_text="The same on every server that has this benchmark from a file."
    )

    objects = BenchmarkManager()
    everything = models.Manager.from_queryset(BenchmarkQuerySet)()

    known_people: Mapping[int, Standing] = {}
    """Loaded status of people, by user id (``annotation.common.access``)."""

    class Meta:
        ordering = ["title"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return f"/benchmarks/{self.slug}/"

    @property
    def schema_number(self) -> int | None:
        """The number of the schema in force, cached at the first call; None if the benchmark has no schema."""
        return self._schema[0]

    @property
    def task(self) -> TaskSchema:
        """The schema in force, cached at the first call."""
        return self._schema[1]

    @property
    def has_drafting(self) -> bool:
        """Whether drafting by models was set up. No query if ``drafting`` was loaded with the benchmark."""
        return hasattr(self, "drafting")

    def forget_schema(self) -> None:
        """Clear the cached schema after another one came into force."""
        vars(self).pop("_schema", None)

    @cached_property
    def _schema(self) -> tuple[int | None, TaskSchema]:
        """Load the schema with one query per object, which lives for one request or one step of a job."""
        stored = self.schemas.in_force()
        return (stored.number, TaskSchema.parse(stored.content)) if stored else (None, NO_SCHEMA)


class ContentChange(models.Model):
    """Changes of the samples, facets or gold of a benchmark; their sum is its change number. Only
    ``annotation.content.changes`` writes them. ``sample``: the key of the only sample whose gold or facets changed; a
    number alone, as the change stays when the sample goes. Scores from before the last ``facets_at`` are stale."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="+")
    changes = models.PositiveBigIntegerField(default=1)
    sample = models.PositiveBigIntegerField(null=True)
    facets_at = models.DateTimeField(
        null=True, help_text="When facets, image clusters or sizes changed without gold. None: they did not."
    )

    objects = ContentChangeQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.changes} of {self.benchmark_id}"


class Membership(models.Model):
    """One role of one person on one benchmark.

    ``local``: the role of the lead who imported the benchmark from a portable file. Files do not contain it, so that
    an export of the copy equals the imported file.
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=[(r.value, r.value) for r in Role])
    local = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "user", "role"], name="membership_once"),
            models.CheckConstraint(condition=models.Q(role__in=[r.value for r in Role]), name="membership_known_role"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.benchmark}"


class InvitedRole(models.Model):
    """A role that an invitation brings with it; it becomes a membership when the invitation is accepted."""

    invitation = models.ForeignKey("accounts.Invitation", on_delete=models.CASCADE, related_name="roles")
    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=12, choices=[(r.value, r.value) for r in Role])

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["invitation", "benchmark", "role"], name="invited_role_once"),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.benchmark}"


class Version(models.Model):
    """A frozen, named state of a benchmark: which revision was the gold of each sample. Scores name the version."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    note = models.TextField(blank=True, default="")
    checksum = models.CharField(max_length=64)
    frozen_at = models.DateTimeField()
    frozen_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["benchmark_id", "-number"]
        constraints = [models.UniqueConstraint(fields=["benchmark", "number"], name="version_number_once")]

    def __str__(self) -> str:
        return f"{self.benchmark} version {self.number}"


class VersionEntry(models.Model):
    """The gold of one sample in a frozen version. Triggers in the database refuse any change (migration 0002)."""

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="entries")
    sample = models.ForeignKey("annotation.Sample", on_delete=models.PROTECT, related_name="+")
    revision = models.ForeignKey("annotation.Revision", on_delete=models.PROTECT, related_name="+")
    accepted_chains = models.JSONField(
        null=True,
        help_text="The accepted toolchains besides the gold's: calls, digest and note of each. None: not stored.",
    )
    facets = models.JSONField(null=True, help_text="{name: [value]} of the sample. None: not stored.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "sample"], name="version_sample_once")]

    def __str__(self) -> str:
        return f"{self.sample} in {self.version}"
