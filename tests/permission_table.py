"""Who may do what: a line for every address of the project. ``tests/test_permissions.py`` holds the project to it.

A line names an address, its parts (``{run}`` and the like are filled in from the world of the test), and for each
method who may: a rule. A method without a rule answers 405. An address of the API also names the scope that a token
needs. To add a page, add a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SCOPES = ("read", "annotate", "import", "manage", "rewards")
"""Of tokens."""
VISITOR, STRANGER, ANNOTATOR, REVIEWER, RESEARCHER, LEAD, ADMIN = PEOPLE = (
    "visitor", "stranger", "annotator", "reviewer", "researcher", "lead", "admin",
)  # fmt: skip
MEMBERS = (ANNOTATOR, REVIEWER, RESEARCHER, LEAD, ADMIN)
LEADS = (LEAD, ADMIN)
RUNNERS = (RESEARCHER, LEAD, ADMIN)
ANNOTATORS = (ANNOTATOR, LEAD, ADMIN)
REVIEWERS = (REVIEWER, LEAD, ADMIN)
WORKERS = (ANNOTATOR, REVIEWER, LEAD, ADMIN)

DONE = "done"
"""Let in: a page, a redirect to another page than the sign-in, or a word about what was sent (400, 409, 422)."""
SIGN_IN = "sign in"
"""A redirect to the sign-in page."""
Rule = Mapping[str, str | int]


def everyone(expected: str | int = DONE) -> Rule:
    return dict.fromkeys(PEOPLE, expected)


def signed_in() -> Rule:
    """Everybody who has an account."""
    return everyone() | {VISITOR: SIGN_IN}


def only(*people: str, visitor: str | int = 404, stranger: str | int = 404, other: str | int = 403) -> Rule:
    """These people; a stranger finds nothing there, a member without the right is told so."""
    rule = dict.fromkeys(PEOPLE, other) | {VISITOR: visitor, STRANGER: stranger}
    return rule | dict.fromkeys(people, DONE)


def form(*people: str) -> Rule:
    """As ``only``, where a visitor is asked to sign in."""
    return only(*people, visitor=SIGN_IN)


def api(*people: str) -> Rule:
    """As ``only``, where a visitor is told to bring a token."""
    return only(*people, visitor=401)


def creators(*people: str, visitor: str | int = 401) -> Rule:
    """These people, of those who can create benchmarks. An upload of another person is not found."""
    rule = only(*people, visitor=visitor, stranger=403)
    return rule if ADMIN in people else rule | {ADMIN: 404}


def own_update(visitor: str | int = 401) -> Rule:
    """The lead who uploaded the file. Other leads do not find it."""
    return only(LEAD, visitor=visitor) | {ADMIN: 404}


def lead_only_job(visitor: str | int) -> Rule:
    """A job of the lead's: nobody but who started it and a site admin knows of it."""
    return only(LEAD, ADMIN, visitor=visitor, other=404)


@dataclass(frozen=True)
class Line:
    """An address by its name, what fills it, and for each method who may."""

    name: str
    args: tuple[Any, ...] = ()
    get: Rule | None = None
    post: Rule | None = None
    put: Rule | None = None
    patch: Rule | None = None
    query: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    json: bool = False
    scope: str = "read"
    """Of the API: the scope that a token needs. ``read`` suffices for every GET."""
    for_all: bool = False
    """Of the API: whether a token for one benchmark is refused."""


B = "street"
SITE = [
    Line("live", get=everyone()),
    Line("ready", get=everyone()),
    Line("glossary", get=everyone()),
    Line("script-texts", ("eo",), get=everyone()),
    Line("glossary-term", ("coverage",), get=everyone()),
    Line("api-schema", get=everyone()),
    Line("admin-door", get=everyone(403) | {VISITOR: SIGN_IN, ADMIN: 302}),
    Line("admin-password", get=everyone(302), post=everyone(302)),
    Line("accounts:sign-in", get=everyone(302) | {VISITOR: DONE}, post=everyone()),
    Line("accounts:session", get=everyone()),
    Line("accounts:sign-out", post=everyone(SIGN_IN)),
    # Whoever is signed in as another person is told why that will not do.
    Line("accounts:accept-invitation", ("{secret}",), get=everyone(409) | {VISITOR: DONE}, post=everyone()),
    Line("accounts:request-reset", get=everyone(), post=everyone()),
    Line("accounts:reset-password", ("{lea}", "{reset}"), get=everyone(), post=everyone()),
    Line("accounts:verify", ("{verify}",), get=everyone(), post=everyone()),
    Line("accounts:set-up", ("{verify}",), get=everyone(404), post=everyone(404)),
    Line("accounts:send-verification", post=signed_in()),
    Line("accounts:account", get=signed_in()),
    Line("accounts:keys", get=signed_in(), post=signed_in()),
    Line("accounts:rename", post=signed_in()),
    Line("accounts:change-password", post=signed_in()),
    Line("accounts:sign-out-others", post=signed_in()),
    Line("accounts:end-session", ("{session}",), post=only(LEAD, visitor=SIGN_IN, other=404)),
    Line("accounts:create-token", post=signed_in()),
    Line("accounts:revoke-token", ("{token}",), post=only(LEAD, visitor=SIGN_IN, other=404)),
    Line("jobs:jobs", get=signed_in()),
    Line("jobs:indicator", get=signed_in()),
    Line("jobs:job", ("{job}",), get=lead_only_job(SIGN_IN)),
    Line("jobs:cancel", ("{job}",), post=lead_only_job(SIGN_IN)),
    Line("jobs:retry", ("{job}",), post=lead_only_job(SIGN_IN)),
    Line("notifications:inbox", get=signed_in()),
    Line("notifications:bell", get=signed_in()),
    Line("notifications:settings", get=signed_in(), post=signed_in()),
    Line("notifications:read-all", post=signed_in()),
    Line("notifications:read", ("{notification}",), post=only(LEAD, visitor=SIGN_IN, other=404)),
    Line("notifications:unsubscribe", ("{verify}",), get=everyone(404), post=everyone(404)),
    Line("api-jobs", get=everyone() | {VISITOR: 401}, scope="import"),
    Line("api-job", ("{job}",), get=lead_only_job(401), scope="import"),
    Line("api-job-cancel", ("{job}",), post=lead_only_job(401), scope="import"),
    Line("api-job-retry", ("{job}",), post=lead_only_job(401), scope="import"),
    Line("evaluation:home", get=everyone()),
    Line("evaluation:macro", get=everyone()),
    Line("evaluation:search", get=everyone(), query="?q=e&in=street"),
    Line("api-macro", get=everyone()),
    Line("annotation:toolbox", get=signed_in()),
    Line("annotation:benchmarks", get=everyone()),
    Line("evaluation:new-from-file", get=only(*LEADS, visitor=SIGN_IN, stranger=403),
         post=only(*LEADS, visitor=SIGN_IN, stranger=403)),
    Line("evaluation:portable-upload", ("{portable}",), get=creators(LEAD, visitor=SIGN_IN),
         post=creators(LEAD, visitor=SIGN_IN)),
    Line("evaluation:file-differences", get=only(*LEADS, visitor=SIGN_IN, stranger=403),
         post=only(*LEADS, visitor=SIGN_IN, stranger=403)),
    Line("evaluation:file-difference", ("{files_comparison}",), get=creators(LEAD, visitor=SIGN_IN)),
    Line("annotation:new-benchmark", get=only(*LEADS, visitor=SIGN_IN, stranger=403),
         post=only(*LEADS, visitor=SIGN_IN, stranger=403)),
]  # fmt: skip
SAMPLES = [
    Line("annotation:benchmark", (B,), get=only(*MEMBERS)),
    Line("annotation:samples", (B,), get=only(*MEMBERS)),
    Line("annotation:thumbnail", (B, "{sha256}"), get=only(*MEMBERS)),
    Line("annotation:tile", (B, "{sha256}", 0, 0, 0), get=only(*MEMBERS)),
    Line("annotation:region", (B, "{sha256}", "0,0,20,10", 120), get=only(*MEMBERS)),
    Line("evaluation:sample", (B, "seen-00"), get=only(*MEMBERS)),
    Line("evaluation:sample-models", (B, "seen-00"), get=only(*MEMBERS)),
    Line("evaluation:sample-chains", (B, "seen-00"), get=only(*MEMBERS)),
    Line("annotation:workbench", (B, "seen-00"), get=only(*MEMBERS)),
    Line("annotation:chain-run", (B, "a"), post=only(*MEMBERS), json=True),
    Line("annotation:chain-verify", (B, "a"), post=only(*WORKERS), json=True),
    Line("annotation:chain-end", (B, "{handed_in}"), get=form(*REVIEWERS) | dict.fromkeys(REVIEWERS, 409),
         post=form(*REVIEWERS), data={"answer": "A"}),
    Line("annotation:board", (B,), get=form(*MEMBERS), post=form(*LEADS)),
    Line("annotation:board-item", (B, "{item}"), get=form(*MEMBERS), post=form(*LEADS)),
    Line("annotation:board-image", (B, "{item}"), post=form(*LEADS)),
    Line("annotation:board-check", (B, "{item}"), post=form(*WORKERS)),
    Line("annotation:board-pair", (B, "{item}"), post=form(*LEADS)),
    Line("annotation:board-pair-sample", (B, "seen-00"), post=form(*LEADS)),
    Line("annotation:board-move", (B, "{item}"), post=form(*LEADS)),
    Line("annotation:board-reject", (B, "{item}"), post=form(*LEADS)),
    Line("annotation:variants", (B, "seen-00"), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:variant-preview", (B, "seen-00"), get=form(*LEADS)),
    Line("annotation:chain-accept", (B, "a"), post=only(*REVIEWERS), json=True),
    Line("annotation:chain-remove", (B, "{chain}"), post=only(*REVIEWERS), json=True),
    Line("annotation:versions", (B,), get=only(*MEMBERS)),
    Line("annotation:freeze", (B,), post=form(*LEADS)),
    Line("evaluation:data-card", (B,), get=only(*MEMBERS)),
    Line("evaluation:data-card-markdown", (B,), get=only(*MEMBERS)),
]  # fmt: skip
UPLOADS = [
    Line("annotation:upload", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:upload-record", (B, "{upload}"), get=form(*LEADS), post=form(*LEADS)),
]
SETTINGS = [
    Line("annotation:log", (B,), get=form(*LEADS)),
    Line("annotation:delete-benchmark", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:trash", get=signed_in()),
    Line("annotation:restore-benchmark", ("{deleted}",), post=only(LEAD, ADMIN, visitor=SIGN_IN, other=404)),
    Line(
        "annotation:purge-benchmark",
        ("{deleted}",),
        get=only(LEAD, ADMIN, visitor=SIGN_IN, other=404),
        post=only(LEAD, ADMIN, visitor=SIGN_IN, other=404),
    ),
    Line("annotation:settings", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:suggestions", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:task", (B,), get=form(*LEADS), post=form(*LEADS)),
    # Without a draft there is nothing to count.
    Line("annotation:task-affected", (B,), get=form() | dict.fromkeys(LEADS, 404)),
    Line("annotation:task-preview", (B,), post=form(*LEADS)),
    Line("annotation:task-activate", (B,), post=form(*LEADS)),
    Line("annotation:task-discard", (B,), post=form(*LEADS)),
    Line("annotation:guidelines", (B,), get=only(*MEMBERS)),
    Line("annotation:guidelines-panel", (B,), get=only(*MEMBERS)),
    Line("annotation:guidelines-read", (B,), post=form(*MEMBERS), data={"version": "1"}),
    Line("annotation:guidelines-settings", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:guidelines-preview", (B,), post=form(*LEADS)),
    Line("annotation:guidelines-images", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:guidelines-image-delete", (B, "{guide_image}"), post=form(*LEADS)),
    Line("annotation:qualification", (B,), get=form(*LEADS)),
    Line("annotation:qualification-rules", (B,), post=form(*LEADS)),
    Line("annotation:qualification-waive", (B,), post=form(*LEADS)),
    Line("annotation:person", (B, "{ana}"), post=form(*LEADS), data={"roles": "reviewer"}),
    Line(
        "annotation:take-over",
        (B, "{placeholder}"),
        post=form(*LEADS),
        data={"email": "ines@example.org", "roles": "reviewer"},
    ),
    Line("annotation:invite", (B,), post=form(*LEADS), data={"email": "ines@example.org", "roles": "reviewer"}),
    Line("annotation:withdraw", (B, "{invitation}"), post=form(*LEADS)),
    Line("annotation:webhooks", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:webhook", (B, "{webhook}"), get=form(*LEADS), post=form(*LEADS)),
    *(
        Line(f"annotation:webhook-{verb}", (B, "{webhook}"), post=form(*LEADS))
        for verb in ("test", "enable", "disable", "secret", "remove")
    ),
    Line("annotation:webhook-again", (B, "{webhook}", "{delivery}"), post=form(*LEADS)),
    Line("annotation:tools", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:tools-file", (B,), get=form(*LEADS)),
    Line("annotation:tools-import", (B,), post=form(*LEADS)),
    Line("annotation:tool", (B, "{tool}"), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:tool-merge", (B, "{tool}"), post=form(*LEADS)),
    Line("annotation:tool-refuse", (B, "{tool}"), post=form(*LEADS)),
    Line("evaluation:metric-settings", (B,), get=form(*LEADS), post=form(*LEADS)),
]
RUNS = [
    Line("evaluation:leaderboard", (B,), get=only(*MEMBERS)),
    Line("evaluation:chains", (B,), get=only(*MEMBERS)),
    Line("evaluation:diagnostics", (B,), get=only(*MEMBERS)),
    Line("evaluation:compare", (B,), get=only(*MEMBERS)),
    Line("evaluation:compare-crops", (B,), get=only(*MEMBERS)),
    Line("evaluation:compare-slices", (B,), get=only(*MEMBERS)),
    Line("evaluation:compare-pairs", (B,), get=only(*MEMBERS)),
    Line("evaluation:score", (B,), post=form(*RUNNERS)),
    Line("evaluation:rewards", (B,), get=only(*MEMBERS)),
    Line("evaluation:reward-rollouts", (B,), get=only(*MEMBERS)),
    Line("evaluation:runs", (B,), get=only(*MEMBERS)),
    Line("evaluation:run", (B, "{run}"), get=only(*MEMBERS)),
    Line("evaluation:run-delete", (B, "{run}"), get=form(*RUNNERS), post=form(*RUNNERS)),
    Line("evaluation:trash", (B,), get=form(*RUNNERS)),
    Line("evaluation:trash-empty", (B,), get=form(*RUNNERS), post=form(*RUNNERS)),
    Line("evaluation:run-restore", (B, "{trashed}"), post=form(*RUNNERS)),
    Line("evaluation:samples-delete", (B,), query="?id=seen-02", get=form(LEAD, ADMIN), post=form(LEAD, ADMIN)),
    Line("evaluation:sample-restore", (B, "{removed}"), post=form(LEAD, ADMIN)),
    Line("evaluation:lab", (B, "{run}"), get=only(*MEMBERS)),
    Line("evaluation:lab-skipped", (B, "{run}"), get=only(*MEMBERS)),
    # No arm has been run: whoever may look finds nothing.
    Line("evaluation:lab-strip", (B, "{run}", "seen-00"), get=only() | dict.fromkeys(MEMBERS, 404)),
    Line("evaluation:run-place", (B, "{run}"), post=form(*RUNNERS), data={"lineage": "RL", "step": "1"}),
    Line("evaluation:lineages", (B,), get=only(*MEMBERS)),
    Line("evaluation:lineage", (B, "{lineage}"), get=only(*MEMBERS)),
    Line("evaluation:lineage-describe", (B, "{lineage}"), post=form(*RUNNERS), data={"name": "SFT"}),
    Line("evaluation:lineage-delete", (B, "{lineage}"), post=form(*RUNNERS)),
    Line("evaluation:run-replays", (B, "{run}"), get=only(*MEMBERS)),
    Line("evaluation:run-replays-keep", (B, "{run}"), post=form(*RUNNERS)),
    Line("evaluation:run-replays-drop", (B, "{run}"), post=form(*RUNNERS)),
    Line("evaluation:missing", (B, "{run}"), get=only(*MEMBERS)),
    Line("evaluation:trajectories", (B,), get=only(*MEMBERS)),
    Line("evaluation:query-words", (B,), get=only(*MEMBERS)),
    # A piece of the list; who asks for it as a page is led to the list.
    Line("evaluation:trajectory-preview", (B, "{trajectory}"), get=only(*MEMBERS) | dict.fromkeys(MEMBERS, 302)),
    Line("evaluation:tag", (B,), post=form(*MEMBERS), data={"tag": "glare"}),
    Line("evaluation:note", (B, "{trajectory}"), post=form(*MEMBERS), data={"text": "Look again."}),
    Line("evaluation:note-delete", (B, "{note}"), post=form(*LEADS)),
    Line("evaluation:failure", (B, "{trajectory}"), post=form(*MEMBERS), data={"failure": "none"}),
    Line("evaluation:slices", (B,), get=only(*MEMBERS)),
    Line("evaluation:save-slice", (B,), post=form(*MEMBERS), query="?q=wrong", data={"name": "Wrong"}),
    Line("evaluation:delete-slice", (B, "{slice}"), post=form(*LEADS)),
    Line("evaluation:trajectory", (B, "{trajectory}"), get=only(*MEMBERS)),
    # Its picture is not here: who may see the trajectory is told so.
    Line("evaluation:replay", (B, "{trajectory}"), get=only(*MEMBERS), post=only(*MEMBERS)),
    Line("evaluation:replay-keep", (B, "{trajectory}"), post=form(*RUNNERS)),
    Line("evaluation:replay-drop", (B, "{trajectory}"), post=form(*RUNNERS)),
    Line("evaluation:trajectory-text", (B, "{trajectory}", "answer"), get=only(*MEMBERS)),
    Line("evaluation:export", (B,), get=only(*RUNNERS)),
    Line("evaluation:export-names", (B,), get=form(*LEADS)),
    Line("evaluation:export-project", (B,), post=form(*LEADS)),
    Line("evaluation:portable-export", (B,), post=form(*LEADS), data={"people": ""}),
    Line("evaluation:portable-updates", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("evaluation:portable-update", (B, "{portable_update}"), get=own_update(SIGN_IN), post=own_update(SIGN_IN)),
    Line("evaluation:portable-file", (B, "{portable_job}"), get=form(*LEADS)),
    Line("evaluation:portable-differences", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("evaluation:portable-difference", (B, "{comparison}"), get=own_update(SIGN_IN)),
    Line("evaluation:exported", (B, "metrics", "csv"), get=only(*RUNNERS)),
]
JUDGING = [
    Line("evaluation:answers", (B,), get=form(*RUNNERS), post=form(*RUNNERS), data={"act": "undo"}),
    Line("evaluation:judging", (B,), get=form(*MEMBERS), post=form(*RUNNERS), data={"size": 2, "people": 1}),
    Line(
        "evaluation:judging-labels", (B, "{experiment}"), get=form(*RUNNERS),
        post=form() | dict.fromkeys(RUNNERS, 400), data={"size": 2, "people": 1},
    ),
    Line("evaluation:judging-queue", (B, "{judging}"), get=form(*MEMBERS)),
    Line("evaluation:judging-delete", (B, "{judging}"), post=form(*RUNNERS)),
    Line("evaluation:judging-next", (B, "{judging}"), post=form(*MEMBERS)),
    Line("evaluation:judging-skip", (B, "{judging}"), post=form(*MEMBERS)),
    Line("evaluation:judging-undo", (B, "{judging}"), post=form(*MEMBERS)),
    # Another member holds the question at the moment: it is shown to nobody else.
    Line("evaluation:judging-question", (B, "{judging}", "{question}"), get=form() | dict.fromkeys(MEMBERS, 409),
         post=form(*MEMBERS), data={"verdict": "yes"}),
    Line("evaluation:judging-crop", (B, "{judging}", "{question}", 1), get=form() | dict.fromkeys(MEMBERS, 409)),
]  # fmt: skip
STUDIES = [
    Line("evaluation:studies", (B,), get=form(*MEMBERS)),
    Line("evaluation:new-study", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("evaluation:study", (B, "{study}"), get=form(*MEMBERS)),
    Line("evaluation:study-export", (B, "{study}"), get=form(*LEADS)),
    # Leads draw the sample, and take no part.
    Line("evaluation:study-next", (B, "{study}"), post=form(ANNOTATOR, REVIEWER, RESEARCHER)),
    Line("evaluation:study-finish", (B, "{study}"), post=form(*MEMBERS)),
    *(
        Line(f"evaluation:study-{name}", (B, "{study}"), post=form(*LEADS))
        for name in ("pause", "resume", "close", "save")
    ),
    # The sample is assigned to another member: it is shown to nobody else.
    Line("evaluation:study-task", (B, "{study}", "{task}"), get=form() | dict.fromkeys(MEMBERS, 409),
         post=form(*MEMBERS), data={"act": "skip"}),
    Line("evaluation:study-part", (B, "{study}", "{task}"), get=form() | dict.fromkeys(MEMBERS, 409)),
    Line("evaluation:study-stay", (B, "{study}", "{task}"), post=form() | dict.fromkeys(MEMBERS, 409)),
]  # fmt: skip
IMPORTS = [
    Line("evaluation:import", (B,), get=form(*RUNNERS), post=form(*RUNNERS)),
    Line("evaluation:import-record", (B, "{record}"), get=form(*RUNNERS)),
    Line("evaluation:import-choose", (B, "{record}"), post=form(*RUNNERS)),
    # The import of the test is done, and no table or log whose keys are mapped.
    Line("evaluation:import-keys", (B, "{record}"), get=form() | dict.fromkeys(RUNNERS, 302), post=form(*RUNNERS)),
    Line("evaluation:import-mapping", (B, "{record}"), get=form() | dict.fromkeys(RUNNERS, 404)),
    Line("evaluation:import-read", (B, "{record}"), post=form(*RUNNERS)),
    # The other half of a file of runs are samples, which only leads import.
    Line("evaluation:import-other", (B, "{record}"), post=form(*LEADS)),
    Line("evaluation:import-alias", (B, "{record}"), post=form(*RUNNERS)),
    Line("evaluation:import-commit", (B, "{record}"), post=form(*RUNNERS)),
    Line("evaluation:import-undo", (B, "{record}"), get=form(*RUNNERS), post=form(*RUNNERS)),
    Line("evaluation:import-issues", (B, "{record}"), get=form(*RUNNERS)),
    # The record of the test has no such picture: who may see it is told that it is not there.
    Line("evaluation:import-picture", (B, "{record}", 0, "frame"), get=form() | dict.fromkeys(RUNNERS, 404)),
]  # fmt: skip
EXPERIMENTS = [
    Line("evaluation:endpoints", (B,), get=form(*RUNNERS), post=form(*LEADS)),
    Line("evaluation:endpoint", (B, "{endpoint}"), get=form(*LEADS), post=form(*LEADS)),
    Line("evaluation:endpoint-test", (B, "{endpoint}"), post=form(*RUNNERS)),
    Line("evaluation:endpoint-remove", (B, "{endpoint}"), post=form(*LEADS)),
    Line("evaluation:prompts", (B,), get=form(*RUNNERS)),
    Line("evaluation:prompt", (B, "mine"), get=form(*RUNNERS)),
    Line("evaluation:prompt-change", (B, "mine"), get=form(*LEADS), post=form(*LEADS)),
    Line("evaluation:prompt-new", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("evaluation:experiments", (B,), get=form(*RUNNERS), post=form(*RUNNERS)),
    Line("evaluation:new-arms", (B,), get=form(*RUNNERS), post=form(*RUNNERS)),
    Line("evaluation:new-judge", (B,), get=form(*RUNNERS), post=form(*RUNNERS)),
    Line("evaluation:new-detection", (B,), get=form(*RUNNERS), post=form(*RUNNERS)),
    Line("evaluation:new-audit", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("evaluation:new-description", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("evaluation:new-rendering", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("evaluation:new-evidence", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("evaluation:evidence", (B,), get=form(*LEADS)),
    Line("evaluation:evidence-facet", (B,), post=form(*LEADS)),
    Line("evaluation:evidence-undo", (B, 1), post=form() | dict.fromkeys(LEADS, 404)),
    # The gold of the test has no image file.
    Line("evaluation:evidence-image", (B, "none", "crop"), get=form() | dict.fromkeys(LEADS, 404)),
    Line("evaluation:drafting", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("evaluation:drafting-image", ("{verify}", "image.png"), get=everyone(404)),
    Line("evaluation:drafting-click", (B,), post=form(*LEADS)),
    Line("evaluation:click-image", ("{verify}", "image.png"), get=everyone(404)),
    Line("evaluation:click-shape", (B, "{to_do}"), post=only(*ANNOTATORS), json=True),
    Line("evaluation:planted-withdraw", (B,), post=form(*LEADS)),
    Line("evaluation:drafting-share", (B,), post=form(*LEADS)),
    Line("evaluation:drafting-shows", (B,), post=form(*LEADS)),
    Line("evaluation:experiment", (B, "{experiment}"), get=form(*RUNNERS)),
    Line("evaluation:experiment-budget", (B, "{experiment}"), post=form(*RUNNERS)),
    Line("evaluation:experiment-export", (B, "{experiment}"), get=form(*RUNNERS)),
    # The attempt of the test has sent nothing.
    Line("evaluation:experiment-image", (B, "{experiment}", "0" * 64), get=form() | dict.fromkeys(RUNNERS, 404)),
    Line("evaluation:attempt", (B, "{experiment}", "{attempt}"), get=form(*RUNNERS)),
    *(
        Line(f"evaluation:experiment-{name}", (B, "{experiment}"), post=form(*RUNNERS))
        for name in ("trial", "start", "resume", "pause", "stop", "retry")
    ),
]  # fmt: skip
API = [
    Line("api-benchmarks", get=only(*MEMBERS, STRANGER, visitor=401)),
    Line("api-toolbox", get=everyone() | {VISITOR: 401}),
    Line("api-tool", ("canny",), post=everyone() | {VISITOR: 401, STRANGER: 403}, scope="annotate"),
    Line("api-benchmark", (B,), get=api(*MEMBERS)),
    Line("api-benchmark-delete", (B,), post=api(*LEADS), json=True, scope="manage"),
    Line("api-deleted-benchmarks", get=everyone() | {VISITOR: 401}, scope="manage"),
    Line("api-benchmark-restore", ("{deleted}",), post=only(LEAD, ADMIN, visitor=401, other=404), scope="manage"),
    Line("api-benchmark-purge", ("{deleted}",), post=only(LEAD, ADMIN, visitor=401, other=404), scope="manage"),
    Line("api-task", (B,), get=api(*MEMBERS)),
    Line("api-task-draft", (B,), get=api(*LEADS), put=api(*LEADS), json=True, scope="manage"),
    Line("api-task-activation", (B,), post=api(*LEADS), json=True, scope="manage"),
    Line("api-board", (B,), get=api(*MEMBERS), post=api(*LEADS), json=True, scope="manage"),
    Line("api-board-items", (B,), get=api(*MEMBERS), scope="manage"),
    Line("api-board-item", (B, "{item}"), get=api(*MEMBERS), post=api(*LEADS), json=True, scope="manage"),
    Line("api-board-image", (B, "{item}"), post=api(*LEADS), scope="manage"),
    Line("api-board-pair", (B, "{item}"), post=api(*LEADS), scope="manage"),
    Line("api-board-pair-sample", (B, "seen-00"), post=api(*LEADS), json=True, scope="manage"),
    Line("api-board-accept", (B, "{item}"), post=api(*WORKERS), json=True, scope="annotate"),
    Line("api-board-reject", (B, "{item}"), post=api(*WORKERS), json=True, scope="annotate"),
    Line("api-placeholders", (B,), get=api(*LEADS), scope="manage"),
    Line("api-take-over", (B, "{placeholder}"), post=api(*LEADS), json=True, scope="manage"),
    Line("api-webhooks", (B,), get=api(*LEADS), post=api(*LEADS), json=True, scope="manage"),
    Line("api-webhook", (B, "{webhook}"), get=api(*LEADS), patch=api(*LEADS), scope="manage"),
    Line("api-webhook-test", (B, "{webhook}"), post=api(*LEADS), scope="manage"),
    Line("api-webhook-deliveries", (B, "{webhook}"), get=api(*LEADS), scope="manage"),
    Line("api-webhook-again", (B, "{webhook}", "{delivery}"), post=api(*LEADS), scope="manage"),
    Line("api-guidelines", (B,), get=api(*MEMBERS), post=api(*LEADS), json=True, scope="manage"),
    Line("api-guidelines-images", (B,), get=api(*MEMBERS), post=api(*LEADS), scope="manage"),
    Line("api-guidelines-image", (B, "{guide_image}"), get=api(*MEMBERS), scope="manage"),
    Line("api-samples", (B,), get=api(*MEMBERS)),
    Line("api-packages", (B,), get=api(*LEADS), post=api(*LEADS), json=True, scope="manage"),
    Line("api-work-time", (B,), get=api(*WORKERS)),
    Line("api-priorities", (B,), post=api(*LEADS), json=True, scope="manage"),
    Line("api-facet-batches", (B,), post=api(*LEADS), json=True, scope="manage"),
    Line("api-facet-undo", (B,), post=api(*LEADS), json=True, scope="manage"),
    Line("api-versions", (B,), get=api(*MEMBERS)),
    Line("api-sample-facets", (B,), get=api(*MEMBERS)),
    Line("api-sample", (B, "seen-00"), get=api(*MEMBERS)),
    Line(
        "api-questions",
        (B, "{to_do}"),
        get=api(*ANNOTATORS),
        post=api(*ANNOTATORS),
        json=True,
        scope="annotate",
    ),
    Line(
        "api-variants",
        (B, "seen-00"),
        get=api(*LEADS),
        post=api(*LEADS),
        data={"kind": "flip"},
        json=True,
        scope="import",
    ),
    Line("api-adjudications", (B,), get=api(*REVIEWERS)),
    Line(
        "api-adjudication",
        (B, "{handed_in}"),
        get=api() | dict.fromkeys(REVIEWERS, 409),
        post=api(*REVIEWERS),
        json=True,
        scope="annotate",
    ),
    Line("api-export", (B,), get=api(*RUNNERS)),
    Line("api-score", (B,), post=api(*RUNNERS), json=True, scope="import"),
    Line("api-runs", (B,), get=api(*MEMBERS)),
    Line("api-run", (B, "{run}"), get=api(*MEMBERS)),
    Line("api-run-delete", (B, "{run}"), post=api(*RUNNERS), scope="import"),
    Line("api-trash", (B,), get=api(*RUNNERS), scope="import"),
    Line("api-trash-empty", (B,), post=api(*RUNNERS), scope="import"),
    Line("api-run-restore", (B, "{trashed}"), post=api(*RUNNERS), scope="import"),
    Line("api-takedown", (B, "a"), post=api(LEAD, ADMIN), scope="manage"),
    Line("api-image", (B, "a"), post=api(LEAD, ADMIN), scope="manage"),
    Line("api-trash-samples", (B,), get=api(LEAD, ADMIN), post=api(LEAD, ADMIN), scope="manage"),
    Line("api-sample-restore", (B, "{removed}"), post=api(LEAD, ADMIN), scope="manage"),
    Line("api-run-metrics", (B, "{run}"), get=api(*MEMBERS)),
    Line("api-run-charts", (B, "{run}"), get=api(*MEMBERS)),
    Line("api-run-lab", (B, "{run}"), get=api(*MEMBERS)),
    Line("api-run-arms", (B, "{run}"), post=api(*RUNNERS), json=True, scope="import"),
    Line("api-run-judge", (B, "{run}"), post=api(*RUNNERS), json=True, scope="import"),
    Line("api-lineages", (B,), get=api(*MEMBERS)),
    Line("api-lineage", (B, "{lineage}"), get=api(*MEMBERS)),
    Line("api-metrics", (B,), get=api(*MEMBERS)),
    Line("api-rewards", (B,), get=api(*MEMBERS)),
    Line("api-reward-groups", (B,), post=api(*RUNNERS), json=True, scope="rewards"),
    Line("api-toolchains", (B,), get=api(*MEMBERS)),
    Line("api-diagnostics", (B,), get=api(*MEMBERS)),
    Line("api-compare-pairs", (B,), get=api(*MEMBERS)),
    # With two runs: one alone is nothing to compare.
    Line("api-compare", (B,), get=api() | dict.fromkeys(MEMBERS, 400)),
    Line("api-compare-slices", (B,), get=api() | dict.fromkeys(MEMBERS, 400)),
    Line("api-compare-crops", (B,), get=api() | dict.fromkeys(MEMBERS, 400)),
    Line("api-leaderboard", (B,), get=api(*MEMBERS)),
    Line("api-trajectories", (B,), get=api(*MEMBERS)),
    Line("api-trajectory", (B, "{trajectory}"), get=api(*MEMBERS)),
    Line("api-trajectory-facets", (B,), get=api(*MEMBERS)),
    Line("api-tags", (B,), get=api(*MEMBERS)),
    Line("api-notes", (B,), get=api(*MEMBERS)),
    Line("api-failure-agreement", (B,), get=api(*MEMBERS)),
    Line("api-slices", (B,), get=api(*MEMBERS)),
    Line("api-agreement", (B, "judges"), get=api(*MEMBERS)),
    Line("api-judges", (B,), get=api(*MEMBERS)),
    Line("api-judging", (B,), get=api(*MEMBERS)),
    Line(
        "api-judging-labels",
        (B, "{experiment}"),
        get=api() | dict.fromkeys(RUNNERS, 404),
        post=api() | dict.fromkeys(RUNNERS, 404),
        json=True,
        scope="import",
    ),
    Line("api-judging-next", (B, "{judging}"), post=api(*MEMBERS), json=True, scope="annotate"),
    Line("api-judging-label", (B, "{judging}", "{question}"), post=api(*MEMBERS), json=True, scope="annotate"),
    Line("api-answers", (B,), get=api(*RUNNERS), post=api(*RUNNERS), json=True, scope="import"),
    Line("api-answers-report", (B,), get=api(*MEMBERS)),
    Line("api-endpoints", (B,), get=api(*RUNNERS), post=api(*LEADS), scope="manage"),
    Line("api-endpoint", (B, "{endpoint}"), get=api(*RUNNERS), patch=api(*LEADS), scope="manage"),
    Line("api-endpoint-test", (B, "{endpoint}"), post=api(*RUNNERS), scope="import"),
    Line("api-prompts", (B,), get=api(*RUNNERS), post=api(*LEADS), json=True, scope="manage"),
    Line("api-prompt", (B, "mine"), get=api(*RUNNERS), post=api(*LEADS), json=True, scope="manage"),
    Line("api-experiments", (B,), get=api(*RUNNERS), post=api(*RUNNERS), scope="import"),
    Line("api-detect", (B,), post=api(*RUNNERS), scope="import"),
    Line("api-board-audits", (B,), get=api(*LEADS), post=api(*LEADS), scope="manage"),
    Line("api-board-descriptions", (B,), post=api(*LEADS), scope="manage"),
    Line("api-board-images", (B,), post=api(*LEADS), scope="manage"),
    Line("api-ask-evidence", (B,), post=api(*LEADS), scope="manage"),
    Line("api-evidence", (B,), get=api(*LEADS), scope="manage"),
    Line("api-evidence-samples", (B,), get=api(*LEADS), scope="manage"),
    Line("api-evidence-facet", (B,), post=api(*LEADS), json=True, scope="manage"),
    Line("api-evidence-undo", (B,), post=api(*LEADS), json=True, scope="manage"),
    Line("api-planted-withdraw", (B,), post=api(*LEADS), json=True, scope="manage"),
    Line("api-click", (B, "{to_do}"), post=api(*ANNOTATORS), json=True, scope="annotate"),
    Line("api-drafting", (B,), get=api(*LEADS), post=api(*LEADS), scope="manage"),
    Line("api-experiment", (B, "{experiment}"), get=api(*RUNNERS), patch=api(*RUNNERS), scope="import"),
    Line("api-experiment-export", (B, "{experiment}"), get=api(*RUNNERS), scope="import"),
    Line("api-attempts", (B, "{experiment}"), get=api(*RUNNERS), scope="import"),
    Line("api-exchanges", (B, "{experiment}", "{attempt}"), get=api(*RUNNERS), scope="import"),
    # The attempt of the test has sent nothing.
    Line(
        "api-exchange-image",
        (B, "{experiment}", "{attempt}", "0", "0" * 64),
        get=api() | dict.fromkeys(RUNNERS, 404),
        scope="import",
    ),
    Line("api-studies", (B,), get=api(*LEADS), post=api(*LEADS), json=True, scope="manage"),
    Line("api-study", (B, "{study}"), get=api(*LEADS), patch=api(*LEADS), json=True, scope="manage"),
    Line("api-study-answers", (B, "{study}"), get=api(*LEADS), scope="manage"),
    Line("api-portable-export", (B,), post=api(*LEADS), data={"people": "named"}, json=True, scope="manage"),
    Line("api-portable-names", (B,), get=api(*LEADS), scope="manage"),
    Line("api-portable-export-state", (B, "{portable_job}"), get=api(*LEADS), scope="manage"),
    Line("api-portable-export-file", (B, "{portable_job}"), get=api(*LEADS), scope="manage"),
    Line("api-portable-updates", (B,), get=api(*LEADS), post=api(*LEADS), scope="manage"),
    Line("api-portable-update", (B, "{portable_update}"), get=own_update(), scope="manage"),
    Line("api-portable-update-start", (B, "{portable_update}"), post=own_update(), json=True, scope="manage"),
    Line("api-portable-compare", (B,), post=api(*LEADS), scope="manage"),
    Line("api-portable-comparison", (B, "{comparison}"), get=own_update(), scope="manage"),
    Line("api-portable-comparison-samples", (B, "{comparison}"), get=own_update(), scope="manage"),
    Line("api-files-compare", post=creators(*LEADS), scope="manage", for_all=True),
    Line("api-files-comparison", ("{files_comparison}",), get=creators(LEAD), scope="manage", for_all=True),
    Line("api-files-comparison-samples", ("{files_comparison}",), get=creators(LEAD), scope="manage", for_all=True),
    Line("api-portable-uploads", get=creators(*LEADS), post=creators(*LEADS), scope="manage", for_all=True),
    Line("api-portable-upload", ("{portable}",), get=creators(LEAD), scope="manage", for_all=True),
    Line("api-portable-create", ("{portable}",), post=creators(LEAD), json=True, scope="manage", for_all=True),
    Line("api-imports", (B,), get=api(*RUNNERS), post=api(*RUNNERS), scope="import"),
    Line("api-session", (B, "seen-00"), post=api(*RUNNERS), json=True, scope="import"),
    Line("api-session-answer", (B, "seen-00"), post=api(*RUNNERS), json=True, scope="import"),
    Line("api-import", (B, "{record}"), get=api(*RUNNERS), patch=api(*RUNNERS), json=True, scope="import"),
    Line("api-import-commit", (B, "{record}"), post=api(*RUNNERS), json=True, scope="import"),
    Line("api-import-issues", (B, "{record}"), get=api(*RUNNERS), scope="import"),
]
WORK = [
    Line("annotation:annotate", (B,), get=only(*ANNOTATORS)),
    Line("annotation:annotate-next", (B,), post=only(*ANNOTATORS)),
    Line("annotation:annotate-sample", (B, "{to_do}"), get=only(*ANNOTATORS)),
    Line("annotation:ask-another", (B, "{to_do}"), post=only(*ANNOTATORS), data={"copy": "yes"}),
    Line("annotation:my-work", (B,), get=only(*ANNOTATORS)),
    Line("annotation:my-previous", (B, "{to_do}"), get=only(*ANNOTATORS) | dict.fromkeys(ANNOTATORS, 302)),
    Line("annotation:my-following", (B, "{to_do}"), get=only(*ANNOTATORS) | dict.fromkeys(ANNOTATORS, 302)),
    Line("annotation:draft", (B, "{to_do}"), post=only(*ANNOTATORS), put=only(*ANNOTATORS), json=True),
    Line("annotation:submit", (B, "{to_do}"), post=only(*ANNOTATORS), json=True),
    Line("annotation:take-back", (B, "{handed_in}"), post=only(*ANNOTATORS), json=True),
    Line("annotation:hand-in", (B, "{handed_in}"), post=only(*ANNOTATORS), json=True),
    Line("annotation:skip", (B, "{to_do}"), post=only(*ANNOTATORS), json=True),
    Line("annotation:release", (B, "{to_do}"), post=only(*ANNOTATORS), json=True),
    Line("annotation:ahead", (B, "{to_do}"), post=only(*ANNOTATORS), json=True),
    Line("annotation:renew", (B, "{to_do}"), post=only(*ANNOTATORS), json=True),
    Line("annotation:annotate-time", (B, "{to_do}"), post=only(*ANNOTATORS), json=True),
    Line("annotation:review", (B,), get=only(*REVIEWERS)),
    Line("annotation:review-next", (B,), post=only(*REVIEWERS)),
    Line("annotation:review-sample", (B, "{handed_in}"), get=only(*REVIEWERS)),
    Line("annotation:adjudication", (B, "{handed_in}"), get=only(*REVIEWERS) | dict.fromkeys(REVIEWERS, 302)),
    Line("annotation:adjudicate", (B, "{handed_in}"), post=only(*REVIEWERS), json=True),
    Line("annotation:review-blind", (B, "{handed_in}"), post=only(*REVIEWERS), json=True),
    Line("annotation:review-decide", (B, "{handed_in}"), post=only(*REVIEWERS), json=True),
    Line("annotation:review-skip", (B, "{handed_in}"), post=only(*REVIEWERS), json=True),
    Line("annotation:review-release", (B, "{handed_in}"), post=only(*REVIEWERS), json=True),
    Line("annotation:review-renew", (B, "{handed_in}"), post=only(*REVIEWERS), json=True),
    Line("annotation:review-time", (B, "{handed_in}"), post=only(*REVIEWERS), json=True),
    Line("annotation:adjudication-time", (B, "{handed_in}"), post=only(*REVIEWERS), json=True),
    Line("annotation:review-comments", (B, "{handed_in}"), get=only(*WORKERS), post=only(*WORKERS), json=True),
    Line("annotation:comment-resolve", (B, "{comment}"), post=only(*WORKERS), json=True),
    Line("annotation:work", (B,), get=form(*LEADS)),
    Line("annotation:work-pause", (B,), post=form(*LEADS), data={"reason": "Lunch."}),
    Line("annotation:work-resume", (B,), post=form(*LEADS)),
    Line("annotation:work-release", (B, "{lease}"), post=form(*LEADS)),
    Line("annotation:report-problem", (B, "{to_do}"), post=only(*WORKERS), json=True),
    Line("annotation:resolve-problem", (B, "{problem}"), post=form(*LEADS)),
    Line("annotation:work-samples", (B,), get=form(*LEADS)),
    Line("annotation:work-act", (B, "return"), post=form(*LEADS), data={"id": "handed-in", "return-reasons": "typo"}),
    Line("annotation:work-facets-undo", (B, 1), post=form() | dict.fromkeys(LEADS, 404)),
    # What became of a request is for who made it.
    Line("annotation:work-outcome", (B, "{receipt}"), get=form(LEAD) | {ADMIN: 404}),
    Line("annotation:work-reopen", (B, "seen-00"), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:work-remove-image", (B, "a"), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:work-allow-image", (B, "a"), post=form(ADMIN)),
    Line("annotation:work-replace-image", (B, "a"), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:work-plan", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:work-package", (B, "{package}"), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:work-package-remove", (B, "{package}"), post=form(*LEADS)),
    Line("annotation:work-time", (B,), get=form(*WORKERS)),
    Line("annotation:work-time-file", (B, "2026-10", "csv"), get=form(*WORKERS)),
    Line("annotation:work-time-close", (B,), post=form(*LEADS), data={"month": "2020-01"}),
    Line("annotation:work-time-rate", (B,), post=form(*LEADS)),
    Line("annotation:work-time-rate-remove", (B, "{pay_rate}"), post=form(*LEADS)),
    Line("annotation:queue-settings", (B,), get=form(*LEADS), post=form(*LEADS)),
    Line("annotation:agreement", (B,), get=only(*MEMBERS)),
    Line("annotation:agreement-people", (B,), get=only(*MEMBERS)),
    Line("evaluation:agreement-export", (B, "pairs", "csv"), get=only(*MEMBERS)),
    Line("evaluation:human-accuracy", (B,), get=only(*MEMBERS)),
    Line("evaluation:judges", (B,), get=only(*MEMBERS)),
    # The world has no verdicts of the kind that an address without a term would name.
    Line("evaluation:judge-verdicts", (B,), get=only() | dict.fromkeys(MEMBERS, 404)),
]
QUALITY = [
    Line("annotation:gold-checks", (B,), get=form(*LEADS)),
    Line("annotation:check-rules", (B,), post=form(*LEADS)),
    Line("annotation:add-checks", (B,), post=form(*LEADS), data={"keys": "seen-00"}),
    Line("annotation:retire-check", (B, "{check}"), post=form(*LEADS)),
    Line("annotation:decide-check", (B, "{check_answer}"), post=form(*LEADS), data={"passed": "yes"}),
    Line("annotation:audits", (B,), get=form(*LEADS)),
    Line("annotation:draw-audit", (B,), post=form(*LEADS), data={"share": 50}),
    Line("annotation:settle-audit", (B, "{audit_item}"), post=form(*LEADS), data={"outcome": "kept"}),
    Line("annotation:audit", (B,), get=only(*REVIEWERS)),
    Line("annotation:audit-next", (B,), post=only(*REVIEWERS)),
    # The lead imported it, so that somebody else audits it.
    Line("annotation:audit-sample", (B, "{drawn}"), get=only(REVIEWER, ADMIN)),
    Line("annotation:audit-blind", (B, "{drawn}"), post=only(*REVIEWERS), json=True),
    Line("annotation:audit-decide", (B, "{drawn}"), post=only(*REVIEWERS)),
    Line("annotation:audit-release", (B, "{drawn}"), post=only(*REVIEWERS), json=True),
    Line("annotation:audit-renew", (B, "{drawn}"), post=only(*REVIEWERS), json=True),
    Line("annotation:second-opinions", (B,), get=form(*LEADS)),
    Line("annotation:extra-annotators", (B,), post=form(*LEADS), data={"extra_most": 1}),
]

TABLE = [*SITE, *SAMPLES, *UPLOADS, *SETTINGS, *RUNS, *JUDGING, *STUDIES, *IMPORTS, *EXPERIMENTS, *API, *WORK, *QUALITY]
