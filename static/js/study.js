// Human studies.
import { SightlineStudy } from "./elements/study.js";
import { defineAll } from "./lib/define.js";

defineAll({
  "sightline-study": SightlineStudy,
});
