"""Where stored files are in tests: in memory, and as in the product a name that is written again is written over."""

from django.core.files.storage import InMemoryStorage


class Memory(InMemoryStorage):
    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name
