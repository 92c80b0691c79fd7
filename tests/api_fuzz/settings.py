"""The settings of the site that is fuzzed: those of the project without limits of how often one may ask, which a fuzzer
would spend its time waiting for. They have tests of their own."""

from webapp.settings import *  # noqa: F403
from webapp.settings import RATES as _RATES

RATES = {name: (10**9, seconds) for name, (_, seconds) in _RATES.items()}
