/** What is wrong with an open dialog or menu, as sentences: for tests. Its box, its words, and each control under the pointer. */
window.faultsOfBox = (box) => {
  const found = [];
  const name = box.id || box.className;
  const { left, top, right, bottom, width, height } = box.getBoundingClientRect();
  if (width < 120 || height < 32) found.push(`${name} is ${Math.round(width)} × ${Math.round(height)} px`);
  if (left < -0.5 || right > innerWidth + 0.5) found.push(`${name} reaches beyond the window: ${Math.round(left)} to ${Math.round(right)} px`);
  if (box.matches("dialog, [popover]") && (top < -0.5 || bottom > innerHeight + 0.5)) found.push(`${name} is taller than the window`);
  if (!box.innerText.trim()) found.push(`${name} says nothing`);
  if (box.matches("dialog") && !box.querySelector(":scope h1, :scope h2")?.innerText.trim()) found.push(`${name} has no title`);
  const controls = [...box.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")].filter(
    (one) => !one.closest("[hidden]") && !one.disabled && !one.classList.contains("vh") && one.checkVisibility(),
  );
  if (!controls.length) found.push(`${name} has nothing to use`);
  for (const one of controls) {
    one.scrollIntoView({ block: "nearest" });
    const { x, y, width: wide, height: high } = one.getBoundingClientRect();
    const hit = document.elementFromPoint(x + wide / 2, y + high / 2);
    const own = hit && (one.contains(hit) || hit.closest("label")?.control === one || hit.closest("label")?.contains(one));
    if (!own) found.push(`${name}: ${one.outerHTML.slice(0, 90)} is covered or cut off`);
  }
  return found;
};
