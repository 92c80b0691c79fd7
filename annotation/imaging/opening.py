"""Opening an image file: every check that needs no pixel, in one place, before anything is decoded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from PIL import Image, ImageFile, JpegImagePlugin, PngImagePlugin, TiffImagePlugin, WebPImagePlugin

from annotation.imaging.containers import Structure, check_name, format_of, structure_of, webp_size
from annotation.imaging.problems import PictureProblem

Source = Path | str | bytes
"""An image file: its path, or its whole content."""

MAX_PIXELS = 200_000_000
MAX_SIDE = 65_535

# The readers are opened directly: ``Image.open`` would apply a process-wide pixel limit below ours.
_READERS: dict[str, type[ImageFile.ImageFile]] = {
    "JPEG": JpegImagePlugin.JpegImageFile,
    "PNG": PngImagePlugin.PngImageFile,
    "WEBP": WebPImagePlugin.WebPImageFile,
    "TIFF": TiffImagePlugin.TiffImageFile,
}
_UNREADABLE = (SyntaxError, OSError, ValueError, OverflowError, Image.DecompressionBombError)
_ORIENTATION = 0x0112


@dataclass(frozen=True, slots=True)
class OpenPicture:
    """An open file whose header has passed every check; ``size`` is as stored, before orientation."""

    file: IO[bytes]
    path: Path
    format: str
    image: ImageFile.ImageFile
    size: tuple[int, int]
    orientation: int


@contextmanager
def open_picture(source: Source, name: str) -> Iterator[OpenPicture]:
    with _on_disk(source) as path, path.open("rb") as file:
        head = file.read(1024)
        kind = format_of(head)
        check_name(name, kind)
        if kind == "WEBP":  # its reader makes room for the whole canvas on opening
            _check_size(*webp_size(head))
        with damage_of(kind):
            opened = _checked(file, path, kind)
        yield opened


def _checked(file: IO[bytes], path: Path, kind: str) -> OpenPicture:
    structure = structure_of(kind, file)
    image = _header(kind, file, structure)
    size = _stored_size(image)
    _check_size(*size)
    if not (structure.complete and _strips_end(image) <= file.seek(0, 2)):
        raise _truncated(kind, file)
    _check_kind(kind, structure, image)
    return OpenPicture(file, path, kind, image, size, _orientation(image, structure))


@contextmanager
def damage_of(kind: str) -> Iterator[None]:
    """Treat all exceptions of a format's reader as damage of the file, because readers specify none. Other causes pass
    through: memory or the disk is full.
    """
    try:
        yield
    except (PictureProblem, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise damaged(kind) from error


@contextmanager
def _on_disk(source: Source) -> Iterator[Path]:
    if not isinstance(source, bytes):
        yield Path(source)
        return
    with NamedTemporaryFile(prefix="picture-") as copy:
        copy.write(source)
        copy.flush()
        yield Path(copy.name)


def _header(kind: str, file: IO[bytes], structure: Structure) -> ImageFile.ImageFile:
    file.seek(0)
    try:
        return _READERS[kind](file)
    except _UNREADABLE as error:
        raise (damaged(kind) if structure.complete and kind != "TIFF" else _truncated(kind, file)) from error


def _stored_size(image: ImageFile.ImageFile) -> tuple[int, int]:
    if isinstance(image, TiffImagePlugin.TiffImageFile):  # its ``size`` is already turned, its pixels not yet
        return int(image.tag_v2[256]), int(image.tag_v2[257])
    return image.size


def _strips_end(image: ImageFile.ImageFile) -> int:
    """The byte after the last strip or tile of a TIFF; 0 for the other formats."""
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return 0
    tags = image.tag_v2
    starts, lengths = (tags.get(273) or tags.get(324) or (), tags.get(279) or tags.get(325) or ())
    return max((int(start) + int(length) for start, length in zip(starts, lengths, strict=False)), default=0)


def _check_size(width: int, height: int) -> None:
    if min(width, height) < 1:
        raise PictureProblem("damaged", f"The file declares {width} × {height} pixels. Export it again.")
    if width * height > MAX_PIXELS:
        raise PictureProblem(
            "too-many-pixels",
            f"The file declares {width} × {height} pixels, {width * height / 1e6:.0f} megapixels; at most "
            f"{MAX_PIXELS // 10**6} are allowed. Nothing was decoded. Scale the image down or cut it into parts.",
        )
    if max(width, height) > MAX_SIDE:
        raise PictureProblem(
            "too-long",
            f"The image is {width} × {height}; a side may have {MAX_SIDE} pixels at most. Cut it into parts.",
        )


def _check_kind(kind: str, structure: Structure, image: ImageFile.ImageFile) -> None:
    if structure.animated:
        raise PictureProblem(
            "animated", f"This {kind} is animated; evidence needs one still image. Export one frame as PNG."
        )
    if image.mode in ("I", "F"):
        raise PictureProblem(
            "not-8-bit",
            "Its pixels are 32-bit or floating-point numbers, whose black and white are not known. "
            "Export it with 8 or 16 bits per channel.",
        )


def _truncated(kind: str, file: IO[bytes]) -> PictureProblem:
    length = file.seek(0, 2)
    return PictureProblem(
        "truncated",
        f"The {kind} file is cut off: it ends after {length} bytes, before its end. Copy or upload it again.",
    )


def damaged(kind: str) -> PictureProblem:
    return PictureProblem(
        "damaged", f"The {kind} data is damaged and cannot be decoded. Copy or export the file again."
    )


def _orientation(image: ImageFile.ImageFile, structure: Structure) -> int:
    """EXIF orientation; 1 where there is none or the EXIF block is not readable, as browsers do."""
    if isinstance(image, TiffImagePlugin.TiffImageFile):
        value = image.tag_v2.get(_ORIENTATION)
    else:
        exif = Image.Exif()
        try:
            exif.load(structure.exif or image.info.get("exif") or b"")
            value = exif.get(_ORIENTATION)
        except (*_UNREADABLE, LookupError, TypeError):
            value = None
    return int(value) if isinstance(value, int) and 1 <= value <= 8 else 1
