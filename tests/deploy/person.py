"""A person with a browser, and a program with their session: what a deployment is asked for."""

from __future__ import annotations

import io
import json
import time
import zipfile
from typing import Any

import httpx
from PIL import Image

EMAIL, PASSWORD = "ada@example.org", "a password that nobody guesses"
SAMPLES, SIDE = 3, 700


class Person:
    """Signed in at this address."""

    def __init__(self, address: str) -> None:
        self.client = httpx.Client(base_url=address, timeout=30)
        form = {"email": EMAIL, "password": PASSWORD}
        answer = self.send("/sign-in/", form)
        assert "sessionid" in str(self.client.cookies), answer.text

    def see(self, address: str) -> httpx.Response:
        answer = self.client.get(address)
        assert answer.status_code == 200, f"{address}: {answer.status_code}\n{answer.text[:300]}"
        return answer

    def send(self, address: str, form: dict[str, Any] | None = None, **files: Any) -> httpx.Response:
        if "csrftoken" not in self.client.cookies:
            self.client.get("/sign-in/")
        token = self.client.cookies.get("csrftoken") or ""
        headers = {"X-CSRFToken": token, "Referer": str(self.client.base_url)}
        answer = self.client.post(address, data=form or {}, headers=headers, files=files or None)
        assert answer.status_code < 400, f"{address}: {answer.status_code}\n{answer.text[:300]}"
        return answer

    def record_once(self, address: str, *states: str, seconds: float = 40) -> dict[str, Any]:
        """The import at this address when it has come to one of these states."""
        end = time.monotonic() + seconds
        while True:
            record: dict[str, Any] = self.see(address).json()
            if record["state"] in states:
                return record
            assert time.monotonic() < end, f"{record}\n{self.see('/api/v1/jobs/').text}"
            time.sleep(0.1)

    def jobs_are_over(self, seconds: float = 40) -> list[dict[str, Any]]:
        """All jobs, when none waits or runs."""
        end = time.monotonic() + seconds
        while True:
            jobs: list[dict[str, Any]] = self.see("/api/v1/jobs/").json()["results"]
            if not [job for job in jobs if job["state"] in ("queued", "running")]:
                return jobs
            assert time.monotonic() < end, jobs
            time.sleep(0.1)


def samples() -> tuple[bytes, bytes]:
    """A file of samples and a zip file with their images; one picture that is named is not in it."""
    rows, out = [], io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(SAMPLES):
            rows.append(
                {
                    "id": f"s{number}", "image": f"s{number}.png", "question": f"Which letter is on sign {number}?",
                    "answer_type": "mc", "options": {"A": "P", "B": "R"}, "answer": "A",
                    "gold_boxes": [[100, 100, 160, 160]],
                }
            )  # fmt: skip
            if number:
                picture = io.BytesIO()
                Image.new("RGB", (SIDE, SIDE), (40 * number, 90, 20)).save(picture, "PNG")
                archive.writestr(f"s{number}.png", picture.getvalue())
    return _lines(rows), out.getvalue()


def trajectories() -> bytes:
    """A run that looks at the evidence of the second sample, beside that of the third, and is right about both."""
    return _lines(
        [
            {
                "model": "Model A", "sample_id": f"s{number}", "setting": "base", "answer": "A",
                "steps": [{"tool": "zoom_in", "image_in": "original", "image_out": "v", "bbox": box}],
            }
            for number, box in ((1, [90, 90, 170, 170]), (2, [400, 400, 500, 500]))
        ]
    )  # fmt: skip


def _lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)
