import { fileSize } from "../lib/format.js";
import { t } from "../lib/t.js";

const LONGEST = 120_000;
const AGAIN = 2_000;

/**
 * The form of the guidelines with the images that are uploaded into them. A chosen, pasted or dropped image is uploaded
 * and shown at the cursor; the lead then describes it between the brackets.
 *
 *   <sightline-guidelines-editor data-src="…/images/" data-most="20000000" data-too-large="…">
 *     <textarea name="body">, [data-adds-image], [data-status], [data-preview],
 *     <form data-uploads-image> with a file, <div data-uploads> with buttons [data-inserts="image:…"]
 */
export class SightlineGuidelinesEditor extends HTMLElement {
  #ending = null;
  #timer = null;

  connectedCallback() {
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    const text = this.#text;
    text.addEventListener("paste", (event) => this.#paste(event), { signal });
    for (const type of ["dragenter", "dragover", "dragleave", "drop"]) {
      text.addEventListener(type, (event) => this.#drag(event), { signal });
    }
    this.#input.addEventListener("change", () => this.#chosen(), { signal });
    this.querySelector("[data-uploads-image]").addEventListener("submit", (event) => this.#submit(event), { signal });
    this.addEventListener("click", (event) => this.#click(event), { signal });
    // Tiles of a new image are made in a job.
    this.addEventListener("htmx:afterSwap", () => this.#look(), { signal });
    this.#look();
  }

  disconnectedCallback() {
    this.#ending?.abort();
    clearTimeout(this.#timer);
  }

  get #text() {
    return this.querySelector("[name=body]");
  }

  get #input() {
    return this.querySelector("[data-uploads-image] input[type=file]");
  }

  #click({ target }) {
    if (target.closest("[data-adds-image]")) this.#input.click();
    const reference = target.closest("[data-inserts]")?.dataset.inserts;
    if (reference) this.#insert(reference);
  }

  #submit(event) {
    event.preventDefault();
    if (this.#input.files.length) this.#chosen();
    else this.#input.click();
  }

  async #chosen() {
    const files = [...this.#input.files];
    this.#input.value = "";
    await this.#upload(files);
  }

  /** A copied table or text often comes with an image of itself: the text is meant. */
  #paste(event) {
    const { files, types } = event.clipboardData;
    if (!files.length || types.includes("text/plain")) return;
    event.preventDefault();
    this.#upload([...files]);
  }

  #drag(event) {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    this.#text.classList.toggle("is-over", event.type === "dragenter" || event.type === "dragover");
    if (event.type === "drop") this.#upload([...event.dataTransfer.files]);
  }

  async #upload(files) {
    for (const file of files) {
      this.#say(t("Uploading %(name)s", { name: file.name }));
      const { reference, trouble } = await this.#send(file);
      if (trouble) {
        this.#say(trouble);
        return;
      }
      this.#insert(reference);
      this.#say(t("%(name)s is uploaded. Describe the image between the brackets.", { name: file.name }));
    }
    this.querySelector("[data-uploads]").dispatchEvent(new Event("refresh"));
  }

  async #send(file) {
    const { src, most, tooLarge } = this.dataset;
    if (file.size > Number(most)) return { trouble: `${file.name} (${fileSize(file.size)}): ${tooLarge}` };
    const body = new FormData();
    body.append("image", file);
    const token = this.querySelector("[name=csrfmiddlewaretoken]").value;
    try {
      const answer = await fetch(src, {
        method: "POST",
        headers: { Accept: "application/json", "X-CSRFToken": token },
        body,
        credentials: "same-origin",
        signal: AbortSignal.timeout(LONGEST),
      });
      if (answer.status === 401) document.dispatchEvent(new Event("signedout"));
      const data = await answer.json();
      return answer.ok ? data : { trouble: `${file.name}: ${data.error.message}` };
    } catch {
      return { trouble: t("No response from the server. Try again.") };
    }
  }

  /**
   * Selected words become the description; without any, the cursor goes where it is written. Before other words of a line,
   * such as a heading, the image gets a line of its own.
   */
  #insert(reference) {
    const text = this.#text;
    const { selectionStart: start, selectionEnd: end } = text;
    const words = text.value.slice(start, end).replaceAll(/[[\]\n]/g, " ");
    text.focus();
    // Undo of the browser takes this back; where that is not offered, the text changes all the same.
    const fromStart = start === 0 || text.value[start - 1] === "\n";
    const before = fromStart && /^[^\n]/.test(text.value.slice(end)) ? "\n\n" : "";
    const image = `![${words}](${reference})${before}`;
    if (!document.execCommand("insertText", false, image)) text.setRangeText(image, start, end, "end");
    if (!words) text.setSelectionRange(start + 2, start + 2);
    text.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #look() {
    clearTimeout(this.#timer);
    if (!this.querySelector("[data-waits]")) return;
    this.#timer = setTimeout(() => {
      for (const one of this.querySelectorAll("[data-preview], [data-uploads]")) one.dispatchEvent(new Event("refresh"));
    }, AGAIN);
  }

  #say(words) {
    this.querySelector("[data-status]").textContent = words;
  }
}
