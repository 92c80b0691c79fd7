const SIDES = ["brightness", "contrast"];

/** Brightness and contrast of the image on a stage, for looking only. */
export class StageLight {
  #stage;

  constructor(stage) {
    this.#stage = stage;
    for (const name of SIDES) this.#part(name).addEventListener("input", () => this.show());
    this.#part("plain").addEventListener("click", () => {
      for (const name of SIDES) this.#part(name).value = 100;
      this.show();
    });
  }

  /** Show the image in the light that is set. */
  show() {
    const [brightness, contrast] = SIDES.map((name) => this.#part(name).value);
    const canvas = this.#part("view").querySelector("canvas");
    if (canvas) canvas.style.filter = brightness === "100" && contrast === "100" ? "" : `brightness(${brightness}%) contrast(${contrast}%)`;
  }

  #part(name) {
    return this.#stage.querySelector(`[data-part="${name}"]`);
  }
}
