const FIELDS = "input:not([type=hidden]), select, textarea";
const TICKED = ["checkbox", "radio"];

/** What a field is for: its name, and its value where several boxes have one name. */
const nameOf = (field) => (TICKED.includes(field.type) ? `${field.name}=${field.value}` : field.name);
const valueOf = (field) => (TICKED.includes(field.type) ? field.checked : field.value);

/**
 * <sightline-kept-fields><div hx-get="…"><input type="hidden" name="kind"> fields of this kind</div></sightline-kept-fields>
 *
 * Fields that the server replaces by those of another kind. What was typed for a kind is there again once it is back.
 */
export class SightlineKeptFields extends HTMLElement {
  #kept = new Map();

  connectedCallback() {
    this.addEventListener("htmx:beforeSwap", ({ detail }) => detail.shouldSwap && this.#keep());
    this.addEventListener("htmx:afterSwap", () => this.#restore());
  }

  get #kind() {
    return this.querySelector("input[type=hidden][name=kind]").value;
  }

  #keep() {
    this.#kept.set(this.#kind, new Map([...this.querySelectorAll(FIELDS)].map((field) => [nameOf(field), valueOf(field)])));
  }

  #restore() {
    const kept = this.#kept.get(this.#kind);
    if (!kept) return;
    for (const field of this.querySelectorAll(FIELDS)) {
      if (!kept.has(nameOf(field))) continue;
      field[TICKED.includes(field.type) ? "checked" : "value"] = kept.get(nameOf(field));
    }
  }
}
