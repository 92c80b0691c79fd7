"""The one settings file. Everything that differs between machines comes from the environment (see env.py).

Reading it touches no file and no network; what starts a process calls env.prepare_home() first.
"""

from webapp import env

BASE_DIR = env.BASE_DIR
HOME = env.home()
SECRET_KEY = env.text("SECRET_KEY")
DEBUG = env.flag("DEBUG")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS")
CSRF_TRUSTED_ORIGINS = env.origins("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "django_htmx",
    "webapp.common.apps.CommonConfig",
    "webapp.accounts.apps.AccountsConfig",
    "webapp.jobs.apps.JobsConfig",
    "webapp.notifications.apps.NotificationsConfig",
    "annotation.apps.AnnotationConfig",
    "evaluation.apps.EvaluationConfig",
]

MIDDLEWARE = [
    # First, so that the headers are on every answer: static files, redirects and faults too.
    "webapp.common.middleware.RequestIdMiddleware",
    "webapp.common.middleware.SecurityHeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "webapp.common.middleware.EnglishMiddleware",
    "webapp.accounts.middleware.BodyLimitMiddleware",
    "webapp.common.middleware.CacheControlMiddleware",
    "webapp.common.middleware.CompressTextMiddleware",
    "webapp.common.middleware.ApiConditionalMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "webapp.common.middleware.SecurityLogMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "webapp.common.middleware.SignedOutMiddleware",
    "webapp.common.middleware.ApplicationErrorMiddleware",
]

ROOT_URLCONF = "webapp.urls"
WSGI_APPLICATION = "webapp.wsgi.application"
ASGI_APPLICATION = "webapp.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "webapp.common.context.site",
            ],
        },
    },
    {
        # Rows, cells and tiles only; pages ask for it by name.
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {"environment": "webapp.common.jinja.environment"},
    },
]

DATABASES = {"default": env.database("DATABASE_URL", home=HOME)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Images and static files
STORAGES = {
    "default": env.storage("SIGHTLINE_STORAGE", home=HOME),
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "webapp.common.static.HashedStaticFilesStorage"
    },
}
STATIC_URL = "/static/"
WHITENOISE_ALLOW_ALL_ORIGINS = False
STATIC_ROOT = env.folder("SIGHTLINE_STATIC", default=HOME / "static")
STATICFILES_DIRS = [BASE_DIR / "static"]
# Copies of objects, where this process reads them.
SCRATCH = env.folder("SIGHTLINE_SCRATCH", default=HOME / "scratch")
FILE_UPLOAD_TEMP_DIR = None
# Of files of the storage too: only this user reads them.
FILE_UPLOAD_PERMISSIONS = 0o600
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 1024 * 1024
WHO_CREATES = env.choice("SIGHTLINE_WHO_CREATES", ("ADMINS", "LEADS", "MEMBERS"))
MAX_UPLOAD_BYTES = env.number("SIGHTLINE_MAX_UPLOAD_MB", least=1) * 1_000_000
BENCHMARK_QUOTA_BYTES = env.number("SIGHTLINE_BENCHMARK_QUOTA_MB", least=1) * 1_000_000
MAX_PIXELS = env.number("SIGHTLINE_MAX_MEGAPIXELS", least=1) * 1_000_000

# People
AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("email", "name")},
    },
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "accounts:sign-in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "accounts:sign-in"
SESSION_ENGINE = "webapp.accounts.sessions"
SESSION_COOKIE_AGE = 30 * 24 * 3600
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
TRUSTED_PROXIES = env.number("SIGHTLINE_PROXIES", most=10)
CSRF_FAILURE_VIEW = "webapp.common.views.csrf_failure"

# Links that let a person choose a new password.
PASSWORD_RESET_TIMEOUT = 24 * 3600
SITE_URL = (env.origins("SIGHTLINE_URL") or [""])[0]
SENDS_EMAIL = bool(env.text("EMAIL_URL"))
globals().update(env.email("EMAIL_URL"))

# Of the toolbox as a server for agents
MCP_SECRET = env.text("SIGHTLINE_MCP_SECRET")

# Of endpoints that run models
ENDPOINT_HOSTS = env.endpoint_hosts("SIGHTLINE_ENDPOINT_HOSTS", listening_on=env.text("HOST"))
WEBHOOK_HOSTS = env.words("SIGHTLINE_WEBHOOK_HOSTS")
ENDPOINT_KEYS = env.endpoint_keys()
RUN_CODE = env.flag("SIGHTLINE_RUN_CODE")
SEAL_KEY = env.secret("SIGHTLINE_SEAL_KEY", least=32)

# Behind https
HTTPS = env.flag("SIGHTLINE_HTTPS")
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
# With this prefix, browsers take a cookie from this host by https only: no other host of the domain can plant one.
_HOST_ONLY = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME = f"{_HOST_ONLY}sessionid"
CSRF_COOKIE_NAME = f"{_HOST_ONLY}csrftoken"
ONCE_COOKIE_NAME = f"{_HOST_ONLY}once"
DEVICE_COOKIE_NAME = f"{_HOST_ONLY}device"
SECURE_SSL_REDIRECT = HTTPS
# The probes of a container come from inside, without the proxy.
SECURE_REDIRECT_EXEMPT = [r"^live$", r"^ready$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
# Lists that browsers carry hold whole domains, and getting off them takes months: that is for the domain's owner to do.
SECURE_HSTS_PRELOAD = False
SILENCED_SYSTEM_CHECKS = ["security.W021"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# Work in the background
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL")
# The messenger that notifies a worker of a job. The composition root chooses it; jobs do not know Celery.
JOB_MESSENGER = "webapp.jobs.messages.wake_embedded" if CELERY_BROKER_URL == "memory://" else "webapp.celery.send"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
# A worker holds no more messages than it works on: what it holds waits for nothing else.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A broker that hangs is left and connected to again; workers try for as long as it takes.
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_HEARTBEAT = 10
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "max_retries": 1, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.2,
    **env.broker_timeouts("CELERY_BROKER_URL", connect=2, read=5),
}  # fmt: skip
JOB_LEASE_SECONDS = env.number("SIGHTLINE_JOB_LEASE_SECONDS", least=1)
JOB_KEEP_DAYS = env.number("SIGHTLINE_JOB_KEEP_DAYS", least=1)
UPLOAD_KEEP_DAYS = env.number("SIGHTLINE_UPLOAD_KEEP_DAYS", least=1)
TRASH_DAYS = env.number("SIGHTLINE_TRASH_DAYS", least=1)
WORKER_THREADS = env.number("SIGHTLINE_WORKER_THREADS", least=1, most=64)

# The built-in server
HOST = env.text("HOST")
PORT = env.number("PORT", least=1, most=65535)
WEB_PROCESSES = env.number("WEB_CONCURRENCY", least=1, most=256)
WEB_THREADS = env.number("SIGHTLINE_WEB_THREADS", least=1, most=256)

# (requests, seconds): the limit for one person or one address. Signing in has separate limits.
RATES = {
    "api": (1200, 60),
    "api-visitor": (120, 60),
    # A page of a list shows a hundred close-ups, and a visitor may share an address with an office.
    "regions": (3000, 60),
    "toolbox": (600, 60),
    "replays": (60, 60),
    "uploads": (120, 600),
}
# One process can count in its memory, and is all there is where the worker runs inside it.
SEVERAL_PROCESSES = CELERY_BROKER_URL != "memory://"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "webapp.accounts.tokens.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": ["webapp.common.api.Throttle"],
    "NUM_PROXIES": TRUSTED_PROXIES,
    "URL_FORMAT_OVERRIDE": None,
    "EXCEPTION_HANDLER": "webapp.common.api.error_answer",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Sightline",
    "DESCRIPTION": "Benchmarks with evidence, the runs of models on them, and every score behind a number.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    # What is sent is described apart from what is answered: a file goes in as bytes.
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    # Choices that several fields have, and fields of one name with other choices, need names of their own.
    "ENUM_NAME_OVERRIDES": {
        "ConditionEnum": ["image", "small", "masked", "crop", "question"],
        "DialectEnum": "evaluation.runner.dialects.zooms.ZOOM_DIALECTS",
        "EndpointDialectEnum": "evaluation.experiments.write.endpoints.DIALECTS",
        "EstimandEnum": ["prefix", "turn"],
        "ExperimentKindEnum": ["run", "arms", "judge", "human", "session"],
        "ImportFormatEnum": "evaluation.imports.write.upload.FORMAT_NAMES",
        "ImportKindEnum": ["samples", "runs"],
        "RoleEnum": ["annotator", "reviewer", "lead", "researcher"],
        "StudyStateEnum": ["open", "paused", "closed"],
        "WebhookFormatEnum": "annotation.models.Webhook.Format",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "webapp.common.api_schema.with_errors",
    ],
}

TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True
LANGUAGE_CODE = "en-us"
LOCALE_PATHS = [BASE_DIR / "locale"]

LOG_LEVEL = env.choice("SIGHTLINE_LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "request_id": {"()": "webapp.common.request_id.RequestIdFilter"},
        "one_line": {"()": "webapp.common.request_id.OneLine"},
    },
    "formatters": {"line": {"format": "{asctime} {levelname} {name} [{request_id}] {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["request_id"]}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        "httpx": {"level": "WARNING"},
        # Its debug lines contain the headers of responses, in which an endpoint can repeat a key.
        "httpcore": {"level": "WARNING"},
        "uvicorn": {"level": "WARNING"},
        "django.security.DisallowedHost": {"filters": ["one_line"]},
        "webapp.access": {"level": "INFO" if env.flag("SIGHTLINE_ACCESS_LOG") else "WARNING"},
        "django.server": {"handlers": ["stderr"], "propagate": False},
    },
}
