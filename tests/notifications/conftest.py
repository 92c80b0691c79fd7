from __future__ import annotations

from tests.jobs.conftest import database_address as database_address
from tests.jobs.conftest import lease_seconds as lease_seconds
from tests.jobs.conftest import start_worker as start_worker
from tests.jobs.conftest import worker_home as worker_home
