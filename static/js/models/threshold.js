/** The quadrants at any threshold, from counts at 0.00, 0.01, …, 1.00 in the order G+A+, G+A-, G-A+, G-A-. */
export class Thresholds {
  #counts;
  #list;

  /** @param {{counts: number[][], list: string}} data counts per threshold; the address of the run's trajectories */
  constructor({ counts, list }) {
    this.#counts = counts;
    this.#list = list;
  }

  /** What the four cells say at a threshold: count, share (null without a population) and the list of exactly these. */
  at(threshold) {
    const counts = this.#counts[Math.round(threshold * (this.#counts.length - 1))];
    const whole = counts.reduce((sum, n) => sum + n, 0);
    return counts.map((count, place) => ({
      count,
      share: whole ? count / whole : null,
      href: this.#address(threshold, place),
    }));
  }

  #address(threshold, place) {
    const grounded = place < 2 ? "ioa_above" : "ioa_upto";
    const right = place % 2 ? "no" : "yes";
    return `${this.#list}&population=yes&${grounded}=${threshold.toFixed(2)}&right=${right}`;
  }
}
