// Images with their crops and gold: samples, trajectories, comparisons.
import { SightlineFrame } from "./elements/frame.js";
import { SightlineFrames } from "./elements/frames.js";
import { SightlineNoteRegion } from "./elements/note-region.js";
import { defineAll } from "./lib/define.js";

defineAll({
  "sightline-frame": SightlineFrame,
  "sightline-frames": SightlineFrames,
  "sightline-note-region": SightlineNoteRegion,
});
