// Uploading files.
import { SightlineKeyTree } from "./elements/key-tree.js";
import { SightlineImport } from "./elements/upload.js";
import { defineAll } from "./lib/define.js";

defineAll({
  "sightline-import": SightlineImport,
  "sightline-key-tree": SightlineKeyTree,
});
