import { t } from "../lib/t.js";
import { labelBox, measureBox, removeBox, setPoints } from "../models/box-list.js";
import { shareOf } from "../models/box.js";
import { isOutline, readPoints, shareOfEntries, written } from "../models/outline.js";
import { copied, keepRows, write } from "./rows.js";

/** A share from 0 to 1 with two digits that count: 0.00049 as "0.049%". */
const percent = (share) => `${share === 0 ? 0 : Number((100 * share).toPrecision(2))}%`;

/** The evidence boxes as numbers that can be typed, each with a label. */
export class BoxList {
  #root;
  #size;
  #boxes = [];

  constructor(root, size, edit, select) {
    this.#root = root;
    this.#size = size;
    const list = this.#list;
    const at = (element) => [...list.children].findIndex((row) => row.contains(element));
    list.addEventListener("change", ({ target }) => {
      if (target.dataset.points !== undefined) return this.#typed(target, at(target), edit);
      const value = Math.round(Number(target.value));
      if (!target.dataset.side || target.value === "" || !Number.isFinite(value)) return;
      edit((content) => measureBox(content, at(target), target.dataset.side, value, size), `${target.dataset.side} ${at(target)}`);
    });
    list.addEventListener("input", ({ target }) => {
      if (target.dataset.label !== undefined) edit((content) => labelBox(content, at(target), target.value), `label ${at(target)}`);
    });
    list.addEventListener("click", ({ target }) => {
      if (target.closest("[data-act=remove]")) edit((content) => removeBox(content, at(target)));
    });
    list.addEventListener("focusin", ({ target }) => select(at(target)));
  }

  show({ gold_boxes: boxes }, selected) {
    this.#boxes = boxes;
    keepRows(this.#list, boxes.length, () => copied("row-box"));
    for (const [at, row] of [...this.#list.children].entries()) this.#row(row, at, boxes[at], at === selected);
    const share = this.#root.querySelector("[data-part=share]");
    const union = boxes.length > 1 ? "union " : "";
    const covered = boxes.some(isOutline) ? shareOfEntries(boxes, this.#size) : shareOf(boxes.map(({ box }) => box), this.#size);
    share.textContent = boxes.some(({ kind }) => kind !== "point") ? t("%(share)s of the image", { share: union + percent(covered) }) : "";
    this.#root.querySelector("[data-part=no-boxes]").hidden = boxes.length > 0;
  }

  /** Corners that were typed; what is no shape goes back to what there is. */
  #typed(field, at, edit) {
    const points = readPoints(field.value);
    if (points) edit((content) => setPoints(content, at, points, this.#size), `points ${at}`);
    field.value = written(this.#boxes[at].points);
  }

  get #list() {
    return this.#root.querySelector("[data-part=box-rows]");
  }

  #row(row, at, { box: [x1, y1, x2, y2], points, label, source }, on) {
    row.classList.toggle("is-on", on);
    row.querySelector(".pin").textContent = `G${at + 1}`;
    const sides = { x: x1, y: y1, w: x2 - x1, h: y2 - y1 };
    for (const [name, value] of Object.entries(sides)) {
      const field = row.querySelector(`[data-side=${name}]`);
      write(field, value);
      field.setAttribute("aria-label", t("%(name)s of box %(box)s, pixels", { name, box: `G${at + 1}` }));
    }
    row.querySelector(".boxrow__sides").hidden = Boolean(points);
    const corners = row.querySelector("[data-points]");
    corners.hidden = !points;
    corners.setAttribute("aria-label", t("Corners of %(box)s: x,y of each, pixels", { box: `G${at + 1}` }));
    if (points) write(corners, written(points));
    const name = row.querySelector("[data-label]");
    name.setAttribute("aria-label", t("Label of box %(box)s", { box: `G${at + 1}` }));
    write(name, label);
    const from = row.querySelector("[data-part=from]");
    from.hidden = !source;
    from.textContent = source ? t("adopted from %(source)s", { source }) : "";
    row.querySelector("[data-act=remove]").setAttribute("aria-label", t("Delete box %(box)s", { box: `G${at + 1}` }));
  }
}
