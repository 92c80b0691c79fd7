/** Length of a slot of activity in milliseconds. */
export const SLOT = 5000;

/** After so long without activity a person is idle, and the time since counts for nothing. */
export const IDLE = 60_000;

/**
 * The time that a person is active on a page: slots in which something was pressed, moved or scrolled, and the gaps
 * between them that are shorter than a minute. A hidden page is idle at once. Moments are milliseconds of one clock.
 */
export class ActiveTime {
  /** Spans that are not reported, [from, to], in order. */
  #spans = [];
  /** Where a span ended that activity soon enough goes on from, also when it is reported already; null: idle. */
  #end = null;

  get isEmpty() {
    return this.#spans.length === 0;
  }

  /** Something was done now. */
  act(now) {
    const slot = Math.floor(now / SLOT) * SLOT;
    const goesOn = this.#end !== null && slot - this.#end < IDLE;
    const from = goesOn ? this.#end : slot;
    const to = Math.max(slot + SLOT, goesOn ? this.#end : 0);
    const last = this.#spans.at(-1);
    if (last && goesOn && last[1] === from) last[1] = to;
    else if (to > from) this.#spans.push([from, to]);
    this.#end = to;
  }

  /** The page is hidden: what is done next begins a new span. */
  hide(now) {
    this.#cut(now);
    this.#end = null;
  }

  /** The spans that are not reported, as [seconds ago when it began, when it ended]; they count as reported now. */
  take(now) {
    this.#cut(now);
    const taken = this.#spans;
    this.#spans = [];
    return { taken, ago: taken.map((span) => span.map((moment) => Math.max(0, (now - moment) / 1000))) };
  }

  /** What was taken did not arrive. */
  restore(taken) {
    const last = taken.at(-1);
    const first = this.#spans[0];
    if (last && first && last[1] === first[0]) this.#spans.splice(0, 1, [last[0], first[1]]);
    else if (last) this.#spans.unshift(last);
    this.#spans.unshift(...taken.slice(0, -1));
  }

  /** The last slot is not over yet: what is left of it has not happened. */
  #cut(now) {
    const last = this.#spans.at(-1);
    if (last && last[1] > now) last[1] = Math.max(last[0], now);
    if (this.#end !== null && this.#end > now) this.#end = now;
  }
}
