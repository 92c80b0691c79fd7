import { moment } from "../lib/moments.js";

/** <sightline-time data-form="minute"><time datetime="…" title="…">… UTC</time></sightline-time>: in the visitor's zone. */
export class SightlineTime extends HTMLElement {
  connectedCallback() {
    const time = this.querySelector("time");
    const { form } = this.dataset;
    const date = new Date(time.dateTime);
    time.title = moment(date, "second");
    // "3 h ago" is the same everywhere; what is long ago is a day.
    if (form !== "ago") time.textContent = moment(date, form);
    else if (/\d{4}$/.test(time.textContent)) time.textContent = moment(date, "day");
  }
}
