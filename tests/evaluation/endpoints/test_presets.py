"""Presets are data: their addresses are allowed, and what they reject has a name that is sent."""

from __future__ import annotations

import pytest

from annotation.outgoing.addresses import LOOPBACK, Address
from evaluation.endpoints.client import Client, Settings
from evaluation.endpoints.presets import PRESETS, Prefix, Preset
from tests.evaluation.endpoints.server import BODY

WITH_ADDRESS = [preset for preset in PRESETS.values() if preset.base_url]


def test_presets_have_the_names_of_the_design() -> None:
    assert list(PRESETS) == [
        "vllm", "sglang", "llama-cpp", "lmdeploy", "ollama", "openai", "anthropic", "gemini", "generic",
        "detector", "images", "openai-images", "stand-in-images", "label-studio", "stand-in",
    ]  # fmt: skip


@pytest.mark.parametrize("preset", WITH_ADDRESS, ids=lambda preset: preset.name)
def test_hosted_presets_need_https_and_local_ones_the_list(preset: Preset) -> None:
    address = Address(preset.base_url, () if preset.hosted else LOOPBACK)
    assert address.scheme == ("https" if preset.hosted else "http")
    assert preset.in_flight == (16 if preset.hosted else 64)


@pytest.mark.parametrize("preset", WITH_ADDRESS, ids=lambda preset: preset.name)
def test_a_preset_gives_settings(preset: Preset) -> None:
    everything = {**BODY, **dict.fromkeys(preset.drop, 1), "max_tokens": 5, **preset.prefix.parameters}
    with Client(Settings(**preset.defaults(), allowed_hosts=LOOPBACK)) as client:
        sent = client.outgoing(everything)
        assert client.outgoing(sent) == sent
    assert not set(sent) & set(preset.drop)
    limit = dict(preset.rename).get("max_tokens", "max_tokens")
    assert sent[limit] == 5
    assert set(preset.prefix.parameters) <= set(sent)


def test_continuing_a_message_takes_two_parameters() -> None:
    assert Prefix.FLAGS.parameters == {"continue_final_message": True, "add_generation_prompt": False}
    assert not any(prefix.parameters for prefix in Prefix if prefix is not Prefix.FLAGS)


def test_limits_are_sentences() -> None:
    limits = [limit for preset in PRESETS.values() for limit in preset.limits]
    assert limits
    assert all(limit[0].isupper() and limit.endswith(".") for limit in limits)
