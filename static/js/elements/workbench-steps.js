import { t, tp } from "../lib/t.js";
import { argumentOf, picturesBefore, textOf, valueOf } from "../models/workbench.js";
import { copied, dragRows, keepRows, write } from "./rows.js";

const IN_FRONT = 2;
const LONG = 11;
const LONGEST_CHOICE = 7;

/** What is wrong with a step; its card says which step it is. */
function wordsOf({ parameter, value, allowed, message }) {
  if (parameter === "tool") {
    const near = allowed.split(", ");
    return near.length > 3
      ? t("The toolbox has no single tool of this name. Remove the step, and add one by what it does.")
      : t("The toolbox has no single tool of this name. Similar names: %(names)s.", { names: near.join(", ") });
  }
  if (parameter === "image_in" && typeof value === "string") return t("It uses %(value)s, which no earlier step creates. Allowed for “works on”: %(allowed)s.", { value, allowed });
  if (value === "(missing)") return t("%(parameter)s is missing. Allowed: %(allowed)s.", { parameter, allowed });
  return parameter ? t("%(parameter)s: %(value)s is not possible. Allowed: %(allowed)s.", { parameter, value: value || t("nothing"), allowed }) : message;
}

/** The steps as cards: a form from the tool's parameters, the image after it, and what is wrong with it. */
export class WorkbenchSteps {
  #list;
  #tools;
  #on;

  constructor(list, tools, on) {
    [this.#list, this.#tools, this.#on] = [list, tools, on];
    list.addEventListener("change", ({ target }) => this.#set(target));
    list.addEventListener("input", ({ target }) => target.matches("input[data-name]") && this.#set(target));
    list.addEventListener("click", ({ target }) => this.#click(target));
    list.addEventListener("keydown", (event) => this.#key(event));
    dragRows(list, () => [...list.children], (from, to, edge) => on.move(from, edge === "after" && to < from ? to + 1 : edge === "before" && to > from ? to - 1 : to));
  }

  show(calls, focus, shown, thumbnails) {
    keepRows(this.#list, calls.length, () => copied("row-bench-step"));
    for (const [at, call] of calls.entries()) this.#card(this.#list.children[at], { at, call, calls, focus, shown, thumbnails });
  }

  #card(card, { at, call, calls, focus, shown, thumbnails }) {
    const tool = this.#tools.get(call.tool);
    const step = shown?.steps[at];
    const error = shown?.error?.number === at + 1 ? shown.error : null;
    const part = (name) => card.querySelector(`[data-part="${name}"]`);
    card.classList.toggle("is-on", focus === at + 1);
    card.classList.toggle("is-bad", error !== null);
    card.classList.toggle("is-unrun", Boolean(shown?.error && shown.error.number < at + 1));
    const number = card.querySelector(".bstep__n");
    number.textContent = String(at + 1);
    number.setAttribute("aria-label", t("Show step %(number)s, %(tool)s", { number: at + 1, tool: call.tool }));
    number.setAttribute("aria-current", String(focus === at + 1));
    const name = card.querySelector(".bstep__tool");
    name.textContent = name.title = tool?.name ?? call.tool;
    card.querySelector("[data-act=move]").setAttribute("aria-label", t("Move step %(number)s", { number: at + 1 }));
    card.querySelector("[data-act=remove]").setAttribute("aria-label", t("Remove step %(number)s", { number: at + 1 }));
    part("module").textContent = tool?.module.split(" ")[0] ?? t("unknown");
    part("stopped").hidden = error === null;
    part("module").hidden = error !== null;
    part("ms").textContent = step && !error ? (step.cached ? t("kept") : `${step.milliseconds.toFixed(1)} ms`) : "";
    part("problem").hidden = error === null;
    part("problem").querySelector("span").textContent = error ? wordsOf(error) : "";
    if (card.dataset.tool !== call.tool) this.#build(card, tool, call);
    card.dataset.tool = call.tool;
    this.#fill(card, { at, call, calls, error });
    const image = card.querySelector("img");
    const picture = step ? thumbnails.get(step.key) : null;
    image.hidden = !picture;
    part("no-shot").hidden = Boolean(picture);
    if (picture && image.src !== picture) image.src = picture;
  }

  /** The form of a tool: what it needs, and what it was given, in front; of one that needs nothing, the first two. */
  #build(card, tool, call) {
    const fields = card.querySelector("[data-part=fields]");
    const more = card.querySelector("[data-part=more]");
    fields.replaceChildren();
    more.replaceChildren();
    const parameters = tool?.parameters ?? [];
    const first = parameters.some(({ required }) => required) ? 0 : IN_FRONT;
    for (const [at, one] of parameters.entries()) {
      const inFront = one.required || at < first || argumentOf(call, one.name) !== undefined;
      (inFront ? fields : more).append(this.#field(one));
    }
    for (const [at, name] of (tool?.pictures ?? ["image"]).entries()) more.append(this.#source(name, at));
    card.querySelector("[data-part=more-words]").textContent = t("%(count)s more", { count: more.children.length });
    card.querySelector("details").open = (tool?.pictures.length ?? 1) > 1;
  }

  #field(parameter) {
    const label = copied("row-bench-field");
    label.querySelector("span").textContent = parameter.name;
    label.title = [parameter.description, parameter.allowed].filter(Boolean).join(": ");
    const choices = parameter.kind === "boolean" ? ["true", "false"] : parameter.choices;
    const field = document.createElement(choices.length ? "select" : "input");
    field.className = choices.length ? "select" : "input input--sm mono";
    if (choices.length) {
      const unset = parameter.required ? [] : [["", textOf(parameter.default) || t("not set")]];
      field.append(...[...unset, ...choices.map((choice) => [String(choice), String(choice)])].map(([value, words]) => new Option(words, value)));
    } else {
      field.placeholder = textOf(parameter.default) || (parameter.optional ? t("not set") : "");
      field.autocomplete = "off";
      if (parameter.kind === "integer" || parameter.kind === "number") field.inputMode = "decimal";
    }
    field.dataset.name = parameter.name;
    const wide = parameter.length > 2 || parameter.name.length > LONG || choices.some((choice) => String(choice).length > LONGEST_CHOICE);
    label.classList.toggle("bfield--wide", wide);
    label.append(field);
    return label;
  }

  #source(name, at) {
    const label = copied("row-bench-field");
    label.querySelector("span").textContent = at ? name : t("works on");
    const select = document.createElement("select");
    select.className = "select";
    label.classList.add("bfield--wide");
    select.dataset.source = String(at);
    label.append(select);
    return label;
  }

  #fill(card, { at, call, calls, error }) {
    for (const field of card.querySelectorAll("[data-name]")) {
      if (document.activeElement !== field) write(field, textOf(argumentOf(call, field.dataset.name)));
      const wrong = error !== null && error.parameter === field.dataset.name;
      field.setAttribute("aria-invalid", String(wrong));
      field.closest("label").classList.toggle("is-bad", wrong);
    }
    const names = picturesBefore(calls, at);
    const inputs = [call.image_in ?? ""].flat();
    for (const select of card.querySelectorAll("[data-source]")) {
      const place = Number(select.dataset.source);
      const first = place ? [["", tp("key", "choose")]] : [["", t("the latest image")]];
      select.replaceChildren(...[...first, ...names.map((name) => [name, name])].map(([value, words]) => new Option(words, value)));
      select.value = inputs[place] ?? "";
    }
  }

  #at(element) {
    return [...this.#list.children].findIndex((card) => card.contains(element));
  }

  #set(field) {
    const at = this.#at(field);
    if (field.dataset.name) {
      const tool = this.#tools.get(this.#list.children[at].dataset.tool);
      const parameter = tool.parameters.find(({ name }) => name === field.dataset.name);
      this.#on.set(at, { [parameter.name]: valueOf(parameter, field.value) });
    } else if (field.dataset.source) {
      const chosen = [...this.#list.children[at].querySelectorAll("[data-source]")].map(({ value }) => value);
      const whole = chosen.length > 1 ? [chosen[0] || "original", ...chosen.slice(1)].filter(Boolean) : chosen[0] || null;
      this.#on.input(at, whole);
    }
  }

  #click(target) {
    const at = this.#at(target);
    const act = target.closest("[data-act]")?.dataset.act;
    if (act === "remove") this.#on.remove(at);
    else if (act === "focus" || (at >= 0 && !target.closest("input, select, button, summary"))) this.#on.focus(at + 1);
  }

  #key(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !event.altKey) return;
    event.preventDefault();
    const at = this.#at(event.target);
    if (at + by < 0 || at + by >= this.#list.children.length) return;
    this.#on.move(at, at + by);
    this.#list.children[at + by].querySelector("[data-act=move]").focus();
  }
}
