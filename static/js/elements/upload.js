import { fileSize } from "../lib/format.js";
import { t } from "../lib/t.js";

const GONE = t("No response from the server. Your files are still selected. Try again.");

const tooLarge = (size, most) => 
  t("The selected files have %(size)s. The limit is %(most)s. Select fewer or smaller files.", { size: fileSize(size), most: fileSize(most) });

const NAMED = 3;

/** Up to three files by name, more of them by number, with what they weigh. */
function chosen(files) {
  if (files.length <= NAMED) return files.map((file) => `${file.name} · ${fileSize(file.size)}`).join(", ");
  return t("%(count)s files · %(size)s", { count: files.length, size: fileSize(files.reduce((sum, file) => sum + file.size, 0)) });
}

/**
 * A form with files: takes dropped ones, names them, and says how far the upload is.
 *
 * ``data-most``: how many bytes the server takes; more is not sent.
 *
 *   <sightline-import data-most="536870912"><form method="post" enctype="multipart/form-data">…
 *     <div class="drop"><label data-file>Drop a file here</label><progress class="progress" hidden></progress>
 *       <input type="file" name="file"></div>
 *     <button class="btn btn--primary" type="submit">Read the file</button></form></sightline-import>
 *
 * Without script it is the plain form. The page that answers is shown; a faulty form comes back in place.
 */
export class SightlineImport extends HTMLElement {
  #busy = false;

  connectedCallback() {
    for (const drop of this.querySelectorAll(".drop")) this.#listen(drop);
    this.querySelector("form").addEventListener("submit", (event) => this.#send(event));
  }

  #listen(drop) {
    const input = drop.querySelector("input[type=file]");
    const named = drop.querySelector("[data-file]");
    const unnamed = named.textContent;
    const name = () => {
      named.textContent = chosen([...input.files]) || unnamed;
    };
    for (const type of ["dragenter", "dragover", "dragleave", "drop"]) {
      drop.addEventListener(type, (event) => {
        event.preventDefault();
        drop.classList.toggle("is-over", type === "dragenter" || type === "dragover");
      });
    }
    drop.addEventListener("drop", ({ dataTransfer }) => {
      if (!dataTransfer.files.length) return;
      input.files = dataTransfer.files;
      name();
    });
    input.addEventListener("change", name);
  }

  #send(event) {
    event.preventDefault();
    if (this.#busy) return;
    const form = event.target;
    const size = this.#size();
    if (size > Number(this.dataset.most)) {
      this.#say(tooLarge(size, Number(this.dataset.most)));
      return;
    }
    const button = event.submitter ?? form.querySelector("[type=submit]");
    const progress = this.querySelector("progress");
    const request = new XMLHttpRequest();
    request.open(form.method, form.action);
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      progress.max = total;
      progress.value = loaded;
    });
    request.addEventListener("load", () => this.#answer(request));
    request.addEventListener("error", () => this.#show(button, progress, false));
    this.#show(button, progress, true);
    request.send(new FormData(form));
  }

  #show(button, progress, busy) {
    this.#busy = busy;
    progress.hidden = !busy;
    if (busy) button.setAttribute("aria-busy", "true");
    else {
      button.removeAttribute("aria-busy");
      this.#say(GONE);
    }
  }

  #say(words) {
    this.querySelector("[data-file]").textContent = words;
  }

  /** Of all files that are chosen, in bytes. */
  #size() {
    const files = [...this.querySelectorAll("input[type=file]")].flatMap((input) => [...input.files]);
    return files.reduce((sum, file) => sum + file.size, 0);
  }

  #answer(request) {
    if (request.status < 400 && request.responseURL !== location.href) {
      location.assign(request.responseURL);
      return;
    }
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    const main = page.querySelector("main");
    if (!main) {
      location.reload();
      return;
    }
    document.querySelector("main").replaceWith(document.adoptNode(main));
    document.querySelector("[aria-invalid=true]")?.focus();
  }
}
