/** A copy of the one element in a <template>. */
export const copied = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);

/** Make a list as long as `count`: rows that stay keep their element, and with it the focus and the caret. */
export function keepRows(list, count, make) {
  while (list.children.length > count) list.lastElementChild.remove();
  while (list.children.length < count) list.append(make());
}

/** Write a value into a field, but not over the same one: the caret stays. */
export function write(field, value) {
  if (field.value !== String(value)) field.value = value;
}

/**
 * Rows of a list that are dragged by their grip. `dropped(from, to, edge)` has the places among the rows; `edge` is
 * "before", "after" or "onto": where on the row it fell.
 */
export function dragRows(list, rows, dropped) {
  let from = null;
  const clear = () => {
    for (const row of rows()) row.classList.remove("is-before", "is-after", "is-onto");
  };
  const target = (event) => {
    const at = rows().findIndex((row) => row.contains(event.target));
    if (at < 0) return null;
    const bounds = rows()[at].getBoundingClientRect();
    const share = (event.clientY - bounds.top) / bounds.height;
    return { at, edge: share < 0.3 ? "before" : share > 0.7 ? "after" : "onto" };
  };
  list.addEventListener("pointerdown", ({ target: pressed }) => {
    const row = rows().find((one) => one.contains(pressed));
    if (row) row.draggable = pressed.closest("[data-grip]") !== null;
  });
  list.addEventListener("dragstart", (event) => {
    from = rows().indexOf(event.target);
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", "");
  });
  list.addEventListener("dragover", (event) => {
    const over = from === null ? null : target(event);
    if (!over) return;
    event.preventDefault();
    clear();
    rows()[over.at].classList.add(`is-${over.edge}`);
  });
  list.addEventListener("drop", (event) => {
    const over = from === null ? null : target(event);
    if (!over) return;
    event.preventDefault();
    dropped(from, over.at, over.edge);
  });
  list.addEventListener("dragend", () => {
    from = null;
    clear();
  });
}
