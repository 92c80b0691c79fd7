// Uploading files.
import { SightlineImport } from "./elements/upload.js";
import { defineAll } from "./lib/define.js";

defineAll({
  "sightline-import": SightlineImport,
});
