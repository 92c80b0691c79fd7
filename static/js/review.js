// Reviewing and auditing.
import { SightlineAdjudication } from "./elements/adjudication.js";
import { SightlineAudit } from "./elements/audit.js";
import { SightlineBlind } from "./elements/review-blind.js";
import { SightlineChainStrip } from "./elements/chain-strip.js";
import { SightlineReview } from "./elements/review.js";
import { defineAll } from "./lib/define.js";

defineAll({
  "sightline-adjudication": SightlineAdjudication,
  "sightline-audit": SightlineAudit,
  "sightline-blind": SightlineBlind,
  "sightline-chain-strip": SightlineChainStrip,
  "sightline-review": SightlineReview,
});
