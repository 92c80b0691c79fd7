"""Rules between the parameters of a tool, as sentences for its description; the call itself checks them."""

RESIZE = ("Give either preset, or width and height.",)
ZOOM = ("Give either scale, or target_width, target_height or both.",)
BOTH_OR_NEITHER = ("Give threshold_low and threshold_high together; they replace preset.",)
CHANNEL_NEEDS_COLOUR = ('Set channels only together with color_mode "color".',)
