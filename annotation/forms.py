"""Forms of the pages of samples and benchmarks."""

from __future__ import annotations

from django import forms

from annotation.models import Benchmark


class NewBenchmarkForm(forms.ModelForm):
    """What a new benchmark is called and who may read it; ``create_benchmark`` makes it."""

    class Meta:
        model = Benchmark
        fields = ("title", "slug", "description", "licence", "public")
        labels = {"slug": "Address", "public": "Open to everyone"}
        help_texts = {
            "title": "As people read it: “Street signs 4K”.",
            "slug": "Small letters, digits and hyphens: /benchmarks/street-signs-4k/. It stays as it is.",
            "licence": "Of its pictures and questions, as an SPDX name: CC-BY-4.0.",
            "public": "Anyone may read the samples, the leaderboard and what lies behind it, without signing in.",
        }
        widgets = {"description": forms.Textarea(attrs={"rows": 3})}
