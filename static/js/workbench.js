// The workbench for reference toolchains.
import { SightlineWorkbench } from "./elements/workbench.js";
import { defineAll } from "./lib/define.js";

defineAll({
  "sightline-workbench": SightlineWorkbench,
});
