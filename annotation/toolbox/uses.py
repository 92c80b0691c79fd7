"""What people want to do, in everyday words, and the tools for it: how they are found without their names."""

from __future__ import annotations

from collections.abc import Mapping

USES: Mapping[str, tuple[str, ...]] = {
    "resize": ("make smaller", "make larger", "enlarge", "shrink", "scale"),
    "rotate": ("turn", "straighten tilted text", "deskew"),
    "translate": ("move", "shift"),
    "flip": ("mirror",),
    "crop": ("cut out", "select a part", "region"),
    "zoom_in": ("enlarge a part", "magnify", "read small text"),
    "pyramid": ("halve", "double", "downsample", "upsample"),
    "colorspace_gray": ("black and white photograph", "remove colour"),
    "colorspace_hsv": ("hue", "saturation"),
    "colorspace_lab": ("lightness",),
    "inrange_color": ("mask of a colour", "colour range", "share of a colour", "percent of a colour"),
    "blur": ("smooth", "remove specks"),
    "sharpen": ("crisper", "read blurred text"),
    "denoise": ("remove noise", "grain"),
    "threshold": ("binary", "black and white", "mask of light and dark", "share of white", "percent of white"),
    "morphology": ("close holes", "open", "grow", "shrink a mask", "remove specks", "separate touching things"),
    "histogram": ("equalize", "even out contrast", "local contrast"),
    "convertscaleabs": ("contrast", "lighter", "darker"),
    "inpaint": ("paint over", "remove glare", "repair"),
    "canny": ("find edges", "outline"),
    "gradients": ("derivative", "find edges softly"),
    "watershed": ("separate touching things", "touching things counted apart", "segment"),
    "grabcut": ("cut out an object", "segment", "remove background"),
    "floodfill": ("fill a region", "magic wand", "area of one colour"),
    "connected_components_with_stats": ("count things", "blobs", "segment a mask", "number and area of regions"),
    "features": ("corners", "points of interest"),
    "hough_lines": ("find lines", "count lines", "angle of a line"),
    "hough_circles": ("find circles", "count circles", "round things"),
    "template_match": ("find a copy", "look for a part", "compare"),
    "dft": ("fourier", "spectrum", "periodic pattern"),
    "contours": ("outline", "count outlines", "box around things"),
    "approx_poly": ("corners of a shape", "simplify a shape", "count corners"),
    "draw_line": ("mark", "guide line"),
    "draw_circle": ("mark", "circle a thing"),
    "contour_area": ("measure area", "size of a thing"),
    "arc_length": ("measure length", "circumference"),
}
"""Of every tool, by its interface name."""
