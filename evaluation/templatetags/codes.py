"""Filters that show codes of runs as words."""

from __future__ import annotations

from django import template

from evaluation.common.code_words import condition_words, flip_words, judgment_kind_words, verdict_words

register = template.Library()
for show in (condition_words, flip_words, judgment_kind_words, verdict_words):
    register.filter(show.__name__, show)
