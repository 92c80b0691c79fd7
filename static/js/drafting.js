// The form of a drafting: what was typed for each kind of endpoint.
import { SightlineKeptFields } from "./elements/kept-fields.js";
import { defineAll } from "./lib/define.js";

defineAll({
  "sightline-kept-fields": SightlineKeptFields,
});
