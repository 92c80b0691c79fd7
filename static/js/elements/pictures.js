const SHOWN = ".shot > img, .trajectory-row__loupe > img, .notes__picture > img";

/** A picture that does not come says so in its place, whether it failed before this script ran or fails later. */
export function watchPictures(root) {
  root.addEventListener("error", ({ target }) => target.matches?.(SHOWN) && tell(target), true);
  for (const picture of root.querySelectorAll(SHOWN)) {
    if (picture.complete && picture.currentSrc && !picture.naturalWidth) tell(picture);
  }
}

function tell(picture) {
  const place = picture.parentElement;
  if (place.classList.contains("is-missing")) return;
  place.classList.add("is-missing");
  const words = document.createElement("span");
  words.className = "missing";
  words.textContent = "did not load";
  picture.after(words);
}
