import { fileSize } from "../lib/format.js";

/**
 * A form with a file: takes a dropped one, names it, and says how far the upload is.
 *
 *   <sightline-import><form method="post" enctype="multipart/form-data">…
 *     <div class="drop">{% icon "upload" %}<span class="drop__text"><b data-file>Drop a file here</b>
 *       <progress class="progress" hidden></progress></span><input type="file" name="file"></div>
 *     <button class="btn btn--primary">Read the file</button></form></sightline-import>
 *
 * Without script it is the plain form. The page that answers is shown; a faulty form comes back in place.
 */
export class SightlineImport extends HTMLElement {
  connectedCallback() {
    const drop = this.querySelector(".drop");
    const input = this.querySelector("input[type=file]");
    for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
      drop.addEventListener(name, (event) => {
        event.preventDefault();
        drop.classList.toggle("is-over", name === "dragenter" || name === "dragover");
      });
    }
    drop.addEventListener("drop", (event) => {
      if (!event.dataTransfer.files.length) return;
      input.files = event.dataTransfer.files;
      this.#name(input.files);
    });
    input.addEventListener("change", () => this.#name(input.files));
    this.querySelector("form").addEventListener("submit", (event) => this.#send(event));
  }

  #name(files) {
    const said = [...files].map((file) => `${file.name} · ${fileSize(file.size)}`).join(", ");
    this.querySelector("[data-file]").textContent = said || "Drop a file here";
  }

  #send(event) {
    const form = event.target;
    event.preventDefault();
    const button = event.submitter ?? form.querySelector("[type=submit]");
    const progress = this.querySelector("progress");
    progress.hidden = false;
    button.setAttribute("aria-busy", "true");
    const request = new XMLHttpRequest();
    request.open(form.method, form.action);
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      progress.max = total;
      progress.value = loaded;
    });
    request.addEventListener("load", () => this.#answer(request));
    request.addEventListener("error", () => {
      button.removeAttribute("aria-busy");
      progress.hidden = true;
      this.querySelector("[data-file]").textContent = "The server does not answer. The file is still chosen: send it again.";
    });
    request.send(new FormData(form, button));
  }

  #answer(request) {
    if (request.status < 400 && request.responseURL !== location.href) {
      location.assign(request.responseURL);
      return;
    }
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    const main = page.querySelector("main");
    if (main) document.querySelector("main").replaceWith(document.adoptNode(main));
    else location.reload();
  }
}
