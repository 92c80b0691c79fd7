from __future__ import annotations

from annotation.models import Benchmark
from tests.annotation.portable.files import make_kitchen
from tests.worlds import made_once
from webapp.accounts.models import User


@made_once
def kitchen(ana: User, rui: User, lea: User) -> Benchmark:
    return make_kitchen(ana, rui, lea)
