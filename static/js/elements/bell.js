import { SightlineJobs } from "./jobs.js";

/**
 * <sightline-bell data-src="…">…</sightline-bell>: the bell with the count of unread entries (data-unread), which the title of
 * the page shows, too: "(3) Samples".
 */
export class SightlineBell extends SightlineJobs {
  shown() {
    const unread = Number(this.querySelector("[data-unread]")?.dataset.unread ?? 0);
    const title = document.title.replace(/^\(\d+\) /, "");
    document.title = unread ? `(${unread}) ${title}` : title;
  }
}
