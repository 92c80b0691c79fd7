"""Making a benchmark out of a portable file, and bringing one up to date with a file."""

from annotation.portable.write.project import InvalidProject, fill, opened, store_images

__all__ = ["InvalidProject", "fill", "opened", "store_images"]
