"""Lists the metadata of an image file by kind: GPS position, camera data, XMP, IPTC, comments."""

from __future__ import annotations

from annotation.imaging.opening import Source, open_picture

GPS, CAMERA, XMP, IPTC, COMMENT = "GPS position", "camera data", "XMP", "IPTC", "comment or text"
_ORIENTATION, _GPS, _XMP, _IPTC = 0x0112, 0x8825, 700, 33723
_CAMERA = frozenset((270, 271, 272, 305, 306, 315, 316, 33432, 34665, 40091, 40092, 40093, 40094, 40095))
"""Tags with texts of people and cameras, and the block of the camera. A TIFF has many others that describe pixels."""
_NOT_TEXTS = frozenset(
    ("dpi", "icc_profile", "exif", "xmp", "jfif", "jfif_version", "jfif_unit", "jfif_density", "progressive",
     "progression", "adobe", "adobe_transform", "gamma", "srgb", "transparency", "compression", "interlace",
     "chromaticity", "background", "timestamp", "loop", "duration", "resolution", "photoshop", "mp", "mpoffset")
)  # fmt: skip


def metadata_kinds(source: Source) -> list[str]:
    """The kinds of metadata in this file, the position first. Only the header is read. Raises ``PictureProblem``."""
    with open_picture(source, "") as picture:
        image = picture.image
        exif = image.getexif()
        info = {name: value for name, value in image.info.items() if isinstance(name, str)}
        xmp = exif.get(_XMP) or info.get("xmp") or info.get("XML:com.adobe.xmp") or b""
        said = xmp if isinstance(xmp, bytes) else str(xmp).encode()
        texts = {name for name, value in info.items() if name not in _NOT_TEXTS and isinstance(value, str | bytes)}
        found = {
            GPS: bool(exif.get(_GPS)) or bool(exif.get_ifd(_GPS)) or b"GPSL" in said,
            CAMERA: bool(_CAMERA & set(exif)) or any(tag not in (_ORIENTATION, _GPS) for tag in _of_camera(exif)),
            XMP: bool(said),
            IPTC: bool(exif.get(_IPTC)) or "photoshop" in info,
            COMMENT: bool(texts - {"XML:com.adobe.xmp"}),
        }
    return [name for name, is_there in found.items() if is_there]


def _of_camera(exif: object) -> set[int]:
    return set(exif.get_ifd(34665)) if hasattr(exif, "get_ifd") else set()
