// What every page needs, and elements so small that they are not worth a request of their own.
import { SightlineRowSelection } from "./elements/row-selection.js";
import { SightlineCopyLink } from "./elements/copy-link.js";
import { SightlineTrajectoryList } from "./elements/trajectory-list.js";
import { SightlineBell } from "./elements/bell.js";
import { SightlineGuidelines } from "./elements/guidelines.js";
import { SightlineJobs } from "./elements/jobs.js";
import { SightlineKeyHelp } from "./elements/key-help.js";
import { SightlineList } from "./elements/list.js";
import { SightlineMenu } from "./elements/menu.js";
import { SightlineKeys } from "./elements/own-keys.js";
import { SightlinePalette } from "./elements/palette.js";
import { SightlinePassword } from "./elements/password.js";
import { SightlineQuery } from "./elements/query.js";
import { SightlineSession } from "./elements/session.js";
import { SightlineTerm } from "./elements/term.js";
import { SightlineTheme } from "./elements/theme.js";
import { SightlineTime } from "./elements/time.js";
import { SightlineToast } from "./elements/toast.js";
import { listenForDialogs } from "./elements/dialog.js";
import { watchPictures } from "./elements/pictures.js";
import { watchRequests } from "./elements/requests.js";
import { defineAll } from "./lib/define.js";
import { sendOnce } from "./lib/submits.js";
import { showCurrentTabs } from "./lib/tabs.js";
import { showKept } from "./lib/toasts.js";

listenForDialogs(document);
watchPictures(document);
watchRequests(document);
showKept();
sendOnce(document);
showCurrentTabs(document);
defineAll({
  "sightline-row-selection": SightlineRowSelection,
  "sightline-copy-link": SightlineCopyLink,
  "sightline-trajectory-list": SightlineTrajectoryList,
  "sightline-bell": SightlineBell,
  "sightline-guidelines": SightlineGuidelines,
  "sightline-jobs": SightlineJobs,
  "sightline-key-help": SightlineKeyHelp,
  "sightline-list": SightlineList,
  "sightline-menu": SightlineMenu,
  "sightline-keys": SightlineKeys,
  "sightline-palette": SightlinePalette,
  "sightline-password": SightlinePassword,
  "sightline-query": SightlineQuery,
  "sightline-session": SightlineSession,
  "sightline-term": SightlineTerm,
  "sightline-theme": SightlineTheme,
  "sightline-time": SightlineTime,
  "sightline-toast": SightlineToast,
});
