// The annotation studio.
import { SightlineStudio } from "./elements/studio.js";
import { defineAll } from "./lib/define.js";

defineAll({
  "sightline-studio": SightlineStudio,
});
