from __future__ import annotations

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy

from annotation.models import Benchmark
from evaluation.models.querysets.experiments import AttemptQuerySet, EndpointQuerySet, ExperimentQuerySet
from evaluation.models.querysets.live import on_samples

NAME_FORM, KEY_NAME_FORM = r"^[a-z0-9][a-z0-9-]*$", r"^[A-Z][A-Z0-9_]{0,63}$"
NAME = RegexValidator(NAME_FORM, "Use lowercase letters, digits and hyphens. Start with a letter or digit.")
KEY_NAME = RegexValidator(KEY_NAME_FORM, "Use capital letters, digits and underscores.")


class Endpoint(models.Model):
    """The address of a chat API with one model. Without a benchmark, it belongs to the site.

    A key is never stored as text. ``key_name`` names an environment variable; ``sealed_key`` is encrypted for this
    endpoint and its host. ``limits``: requests and tokens per minute, requests in flight. ``prices``: USD per million
    tokens; if empty, those of the price list apply. ``capabilities``: results of the last test.
    """

    benchmark = models.ForeignKey(Benchmark, null=True, blank=True, on_delete=models.CASCADE, related_name="endpoints")
    name = models.CharField(max_length=60, validators=[NAME])
    preset = models.CharField(max_length=20, default="generic")
    base_url = models.CharField(max_length=500)
    model = models.CharField(max_length=200, help_text="The name of the model in requests.")
    label = models.CharField(max_length=200, blank=True, default="", help_text="The name of the model on pages.")
    family = models.CharField(max_length=20, blank=True, default="", help_text="The family that image tokens follow.")
    dialect = models.CharField(max_length=20, default="tools")
    frame = models.CharField(max_length=10, default="pixels")
    key_name = models.CharField(max_length=64, blank=True, default="", validators=[KEY_NAME])
    sealed_key = models.TextField(blank=True, default="", editable=False)
    limits = models.JSONField(default=dict, blank=True)
    prices = models.JSONField(default=dict, blank=True)
    capabilities = models.JSONField(default=dict, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    objects = EndpointQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "name"], name="endpoint_once"),
            models.UniqueConstraint(fields=["name"], name="site_endpoint_once", condition=Q(benchmark=None)),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def shown_model(self) -> str:
        """The name that runs of this endpoint have."""
        return self.label or self.model


class ExperimentManager(models.Manager.from_queryset(ExperimentQuerySet)):  # type: ignore[misc]  # made by Django
    """The experiments there are: without those on the trajectories of a run in the trash."""

    def get_queryset(self) -> ExperimentQuerySet:
        return super().get_queryset().filter(source__deleted_at=None)


class Experiment(models.Model):
    """A recipe applied to samples; its finished attempts are trajectories of one run.

    ``recipe``: everything that can change a response, as ``evaluation.runner.recipe`` writes it. ``samples``: the query
    that selected the samples. Money is in USD. ``reserved_usd`` is the maximum cost of requests in flight.

    An experiment of kind ``ARMS`` repeats the trajectories of ``source`` under the arms of ``design``, and adds the
    results to the same run (docs/experiments.md#faithfulness-lab). One of kind ``JUDGE`` asks about them. One of kind
    ``HUMAN`` asks people: its ``design`` has the samples and the people (docs/experiments.md#human-studies). One of
    kind ``SESSION`` has no endpoint and sends nothing: it collects answers of external agents while it is open. One of
    kind ``DETECT`` asks a detector, whose detections are trajectories of a run (docs/metrics.md#detectors). One of kind
    ``DRAFT`` asks for the fields of samples to do, and fills no run (docs/drafting.md). One of kind ``EVIDENCE`` asks
    the questions of revisions under conditions, and fills no run either (docs/evidence.md). Those of the kinds
    ``AUDIT``, ``RENDER`` and ``DESCRIBE`` are about items of the building board, and fill no run: they check texts,
    generate images, and draft descriptions (docs/building.md).
    """

    class Kind(models.TextChoices):
        RUN = "run"
        ARMS = "arms"
        JUDGE = "judge"
        HUMAN = "human"
        SESSION = "session"
        DETECT = "detect"
        DRAFT = "draft"
        AUDIT = "audit"
        RENDER = "render"
        DESCRIBE = "describe"
        EVIDENCE = "evidence"

    class State(models.TextChoices):
        DRAFT = "draft", gettext_lazy("Draft")
        TRIAL = "trial", gettext_lazy("Trial")
        READY = "ready", gettext_lazy("Ready")
        RUNNING = "running", gettext_lazy("Running")
        PAUSED = "paused", gettext_lazy("Paused")
        DONE = "done", gettext_lazy("Done")
        STOPPED = "stopped", gettext_lazy("Stopped")

    class Reason(models.TextChoices):
        """The reason why an experiment is paused."""

        PERSON = "person"
        BUDGET = "budget"
        ENDPOINT = "endpoint"
        FAILED = "failed", gettext_lazy("Failed")

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="experiments")
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.RUN)
    source = models.ForeignKey("evaluation.Run", null=True, on_delete=models.CASCADE, related_name="arm_experiments")
    design = models.JSONField(default=dict, blank=True)
    version = models.ForeignKey("annotation.Version", null=True, on_delete=models.SET_NULL, related_name="+")
    endpoint = models.ForeignKey(Endpoint, null=True, on_delete=models.SET_NULL, related_name="experiments")
    endpoint_name = models.CharField(max_length=60)
    model = models.CharField(max_length=200)
    setting = models.CharField(max_length=200)
    samples = models.TextField(blank=True, default="")
    rollouts = models.PositiveSmallIntegerField(default=1)
    recipe = models.JSONField()
    recipe_digest = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=State, default=State.DRAFT)
    pause_reason = models.CharField(max_length=8, choices=Reason, blank=True, default="")
    pause_note = models.TextField(blank=True, default="")
    budget_usd = models.FloatField(default=5.0)
    budget_calls = models.PositiveIntegerField(default=1000)
    spent_usd = models.FloatField(default=0.0)
    reserved_usd = models.FloatField(default=0.0)
    calls = models.PositiveIntegerField(default=0)
    failures_in_row = models.PositiveIntegerField(default=0)
    import_record = models.ForeignKey(
        "annotation.ImportRecord", null=True, on_delete=models.SET_NULL, related_name="experiments"
    )
    job_id = models.CharField(max_length=36, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = ExperimentManager()
    everything = models.Manager.from_queryset(ExperimentQuerySet)()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.model}, {self.setting}"


_FromAttempt = models.Manager.from_queryset(AttemptQuerySet)


class AttemptManager(_FromAttempt):
    """The attempts at samples that are neither deleted nor withdrawn."""

    def get_queryset(self) -> AttemptQuerySet:
        return super().get_queryset().filter(on_samples())  # type: ignore[return-value]  # made by Django


class Attempt(models.Model):
    """The execution of one sample and rollout, or of one ``item`` of the building board.

    ``digest`` identifies everything that can change its responses. An attempt with the digest of a finished one is
    linked to it (``reused_from``) and sends no request. ``arm``: the change under which it repeats a trajectory, "" for
    none; ``rollout`` is then the number of the seed. ``trajectory``: its result, or the trajectory that it judges;
    ``rollout`` is then the number of the vote, and ``result`` the verdict. ``claim``: the worker that runs it.
    ``tries``: how often it was started. ``restarts``: how often its recorded exchanges did not match the rebuilt
    conversation, so that it started again.
    """

    class State(models.TextChoices):
        QUEUED = "queued", gettext_lazy("Queued")
        RUNNING = "running", gettext_lazy("Running")
        DONE = "done", gettext_lazy("Done")
        FAILED = "failed", gettext_lazy("Failed")
        SKIPPED = "skipped", gettext_lazy("Skipped")

    # Found by the constraint below, which begins with it.
    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="attempts", db_index=False)
    sample = models.ForeignKey("annotation.Sample", null=True, on_delete=models.PROTECT, related_name="attempts")
    item = models.ForeignKey("annotation.BuildItem", null=True, on_delete=models.CASCADE, related_name="attempts")
    rollout = models.PositiveSmallIntegerField(default=0)
    arm = models.CharField(max_length=40, blank=True, default="")
    trial = models.BooleanField(default=False, help_text="One of the first few, which price the others.")
    digest = models.CharField(max_length=64)
    state = models.CharField(max_length=8, choices=State, default=State.QUEUED)
    claim = models.CharField(max_length=120, blank=True, default="")
    tries = models.PositiveSmallIntegerField(default=0)
    restarts = models.PositiveSmallIntegerField(default=0)
    error_kind = models.CharField(max_length=16, blank=True, default="")
    error = models.TextField(blank=True, default="")
    reused_from = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    trajectory = models.ForeignKey(
        "evaluation.Trajectory", null=True, on_delete=models.SET_NULL, related_name="attempts"
    )
    result = models.JSONField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = AttemptManager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["experiment", "sample", "rollout", "arm"], name="attempt_once"),
            models.UniqueConstraint(fields=["experiment", "item"], name="attempt_at_item_once"),
            models.CheckConstraint(
                condition=Q(sample__isnull=False, item__isnull=True) | Q(sample__isnull=True, item__isnull=False),
                name="attempt_at_sample_or_item",
            ),
        ]
        indexes = [
            models.Index(fields=["experiment", "state"], name="attempt_by_state"),
            models.Index(fields=["digest"], name="attempt_by_digest", condition=Q(state="done")),
        ]

    def __str__(self) -> str:
        return f"{self.subject} of experiment {self.experiment_id}"

    @property
    def subject(self) -> str:
        """The ID of its sample, or the name of its item."""
        return self.sample.key if self.sample is not None else str(self.item)


class Exchange(models.Model):
    """One request of an attempt with its response, as sent and received; an image is named ``sha256:…`` in the request.

    ``reserved_usd``: what it may cost at most, until it is answered. ``estimated``: the endpoint sent no usage.
    """

    class State(models.TextChoices):
        SENT = "sent", gettext_lazy("Sent")
        ANSWERED = "answered", gettext_lazy("Answered")
        FAILED = "failed", gettext_lazy("Failed")

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="exchanges", db_index=False)
    n = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.SENT)
    request_digest = models.CharField(max_length=64)
    request = models.BinaryField()
    response = models.BinaryField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    started_at = models.DateTimeField()
    milliseconds = models.PositiveIntegerField(null=True)
    retries = models.PositiveSmallIntegerField(default=0)
    input_tokens = models.PositiveIntegerField(null=True)
    cached_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    estimated = models.BooleanField(default=False)
    usd = models.FloatField(null=True)
    reserved_usd = models.FloatField(default=0.0)
    finish_reason = models.CharField(max_length=40, blank=True, default="")
    served_model = models.CharField(max_length=200, blank=True, default="")
    fingerprint = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        ordering = ["attempt", "n"]
        constraints = [models.UniqueConstraint(fields=["attempt", "n"], name="exchange_once")]

    def __str__(self) -> str:
        return f"request {self.n} of {self.attempt}"


class SentImage(models.Model):
    """An image that requests of an experiment contain. ``name``: of its bytes in the object store."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="images", db_index=False)
    sha256 = models.CharField(max_length=64)
    name = models.CharField(max_length=120)
    media_type = models.CharField(max_length=40)
    bytes = models.PositiveIntegerField()
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["experiment", "sha256"], name="sent_image_once")]
        indexes = [models.Index(fields=["sha256"], name="sent_image_by_content")]

    def __str__(self) -> str:
        return self.sha256
