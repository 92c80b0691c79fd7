// The inbox and its settings: what was opened is read, and the time zone of the browser.
import { SightlineInbox } from "./elements/inbox.js";
import { SightlineZone } from "./elements/zone.js";
import { defineAll } from "./lib/define.js";

defineAll({
  "sightline-inbox": SightlineInbox,
  "sightline-zone": SightlineZone,
});
