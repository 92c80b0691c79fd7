// The page of a run: thresholds and ranges in its charts.
import { SightlineBrush } from "./elements/brush.js";
import { SightlineThreshold } from "./elements/threshold.js";
import { defineAll } from "./lib/define.js";

defineAll({
  "sightline-brush": SightlineBrush,
  "sightline-threshold": SightlineThreshold,
});
