import { SightlineGuidelinesEditor } from "./elements/guidelines-editor.js";
import { defineAll } from "./lib/define.js";

defineAll({ "sightline-guidelines-editor": SightlineGuidelinesEditor });
