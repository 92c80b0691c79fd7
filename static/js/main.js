import { SightlineBrush } from "./elements/brush.js";
import { SightlineChoose } from "./elements/choose.js";
import { SightlineCopyLink } from "./elements/copy-link.js";
import { listenForDialogs } from "./elements/dialog.js";
import { SightlineAudit } from "./elements/audit.js";
import { SightlineFailures } from "./elements/failures.js";
import { SightlineFrame } from "./elements/frame.js";
import { SightlineFrames } from "./elements/frames.js";
import { SightlineJobs } from "./elements/jobs.js";
import { SightlineJudge } from "./elements/judge.js";
import { SightlineKeyHelp } from "./elements/key-help.js";
import { SightlineList } from "./elements/list.js";
import { SightlineMenu } from "./elements/menu.js";
import { SightlineKeys } from "./elements/own-keys.js";
import { SightlineNoteRegion } from "./elements/note-region.js";
import { SightlinePassword } from "./elements/password.js";
import { SightlineBlind } from "./elements/review-blind.js";
import { SightlineQuery } from "./elements/query.js";
import { watchPictures } from "./elements/pictures.js";
import { watchRequests } from "./elements/requests.js";
import { SightlineSession } from "./elements/session.js";
import { SightlineReview } from "./elements/review.js";
import { SightlineStudio } from "./elements/studio.js";
import { SightlineTheme } from "./elements/theme.js";
import { SightlineThreshold } from "./elements/threshold.js";
import { SightlineToast } from "./elements/toast.js";
import { SightlineImport } from "./elements/upload.js";
import { showCurrentTabs } from "./lib/tabs.js";
import { SightlineChainStrip } from "./elements/chain-strip.js";
import { SightlineWorkbench } from "./elements/workbench.js";

const ELEMENTS = {
  "sightline-audit": SightlineAudit,
  "sightline-blind": SightlineBlind,
  "sightline-brush": SightlineBrush,
  "sightline-choose": SightlineChoose,
  "sightline-copy-link": SightlineCopyLink,
  "sightline-failures": SightlineFailures,
  "sightline-frame": SightlineFrame,
  "sightline-frames": SightlineFrames,
  "sightline-import": SightlineImport,
  "sightline-jobs": SightlineJobs,
  "sightline-judge": SightlineJudge,
  "sightline-keys": SightlineKeys,
  "sightline-list": SightlineList,
  "sightline-menu": SightlineMenu,
  "sightline-note-region": SightlineNoteRegion,
  "sightline-password": SightlinePassword,
  "sightline-query": SightlineQuery,
  "sightline-review": SightlineReview,
  "sightline-session": SightlineSession,
  "sightline-studio": SightlineStudio,
  "sightline-theme": SightlineTheme,
  "sightline-threshold": SightlineThreshold,
  "sightline-toast": SightlineToast,
  "sightline-chain-strip": SightlineChainStrip,
  "sightline-workbench": SightlineWorkbench,
  "sightline-key-help": SightlineKeyHelp,
};

listenForDialogs(document);
watchPictures(document);
watchRequests(document);
showCurrentTabs(document);
for (const [name, element] of Object.entries(ELEMENTS)) customElements.define(name, element);
