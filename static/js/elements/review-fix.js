import { addBox, measureBox, removeBox, setBox } from "../models/box-list.js";
import { writeOption, chooseOption, acceptLines } from "../models/options.js";

const MEASURES = ["x", "y", "w", "h"];

/** Fields in which a reviewer changes question, options, answer and boxes. The content itself never changes: each input makes a new one. */
export class ReviewFix {
  #form;
  #size;
  #changed;
  content;

  /**
   * @param {HTMLFormElement} form with [name=question], [data-options] and [data-boxes]
   * @param {{width: number, height: number}|null} size of the picture
   * @param {() => void} changed called back
   */
  constructor(form, content, size, changed) {
    this.#form = form;
    this.#size = size;
    this.#changed = changed;
    this.content = content;
    this.#fill();
    form.addEventListener("click", (event) => this.#click(event));
    form.addEventListener("input", (event) => this.#read(event));
    // What was typed beyond the picture is shown as it was taken.
    form.addEventListener("change", ({ target }) => target.name === "measure" && this.#showMeasures());
  }

  /** A box was moved or sized on the picture. */
  moved(at, box) {
    this.#take(setBox(this.content, at, box));
  }

  drawn(box) {
    this.#take(addBox(this.content, box));
  }

  #take(content) {
    this.content = content;
    this.#showBoxes();
    this.#changed();
  }

  #click({ target }) {
    const removed = target.closest("[data-remove]");
    if (removed) this.#take(removeBox(this.content, Number(removed.dataset.remove)));
  }

  #fill() {
    const { question, answer, answer_type: type } = this.content;
    this.#form.elements.question.value = question;
    const options = this.#form.querySelector("[data-options]");
    options.replaceChildren();
    if (type === "mc") {
      for (const [place, letter] of Object.keys(this.content.options).sort().entries()) {
        options.append(this.#option(place, letter));
      }
    } else {
      const accepted = document.createElement("textarea");
      Object.assign(accepted, { className: "textarea", name: "accepted", rows: 2, value: answer.join("\n") });
      accepted.setAttribute("aria-label", "Accepted answers, one a line");
      options.append(accepted);
    }
    this.#showBoxes();
  }

  #showBoxes() {
    this.#form.querySelector("[data-boxes]").replaceChildren(...this.content.gold_boxes.map((_, at) => this.#box(at)));
    this.#showMeasures();
  }

  #showMeasures() {
    for (const input of this.#form.querySelectorAll("[name=measure]")) {
      const [x1, y1, x2, y2] = this.content.gold_boxes[Number(input.dataset.at)].box;
      input.value = { x: x1, y: y1, w: x2 - x1, h: y2 - y1 }[input.dataset.measure];
    }
  }

  #option(place, letter) {
    const row = document.createElement("div");
    row.className = "row";
    const right = document.createElement("input");
    const title = `${letter} is the answer`;
    Object.assign(right, { type: "radio", name: "right", value: place, checked: this.content.answer.includes(letter), title });
    const text = document.createElement("input");
    Object.assign(text, { type: "text", name: "option", className: "input", value: this.content.options[letter] });
    text.dataset.place = place;
    text.setAttribute("aria-label", `Option ${letter}`);
    row.append(right, letter, text);
    return row;
  }

  #box(at) {
    const row = document.createElement("div");
    row.className = "review__box";
    row.append(`G${at + 1}`);
    for (const name of MEASURES) {
      const input = document.createElement("input");
      Object.assign(input, { type: "number", name: "measure", className: "input input--num input--sm" });
      Object.assign(input.dataset, { at, measure: name });
      input.min = "xy".includes(name) ? 0 : 1;
      input.setAttribute("aria-label", `${name} of G${at + 1} in pixels`);
      row.append(input);
    }
    const remove = document.createElement("button");
    Object.assign(remove, { type: "button", className: "btn btn--quiet btn--sm", textContent: "Remove" });
    remove.dataset.remove = at;
    row.append(remove);
    return row;
  }

  #read({ target }) {
    const { name, value, dataset } = target;
    if (name === "question") this.content = { ...this.content, question: value };
    else if (name === "option") this.content = writeOption(this.content, Number(dataset.place), value);
    else if (name === "right") this.content = chooseOption(this.content, Number(value));
    else if (name === "accepted") this.content = acceptLines(this.content, value);
    else if (name === "measure" && value !== "") this.#measure(dataset, Number(value));
    this.#changed();
  }

  #measure({ at, measure }, value) {
    if (this.#size) this.content = measureBox(this.content, Number(at), measure, value, this.#size);
  }
}
