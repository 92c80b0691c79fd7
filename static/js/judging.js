// Judging by people.
import { SightlineJudge } from "./elements/judge.js";
import { defineAll } from "./lib/define.js";

defineAll({
  "sightline-judge": SightlineJudge,
});
