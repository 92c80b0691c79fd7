// Answers decided by people.
import { SightlineAnswers } from "./elements/answers.js";
import { defineAll } from "./lib/define.js";

defineAll({
  "sightline-answers": SightlineAnswers,
});
