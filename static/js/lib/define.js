/**
 * Define custom elements, in the order given: an element can rely on those before it.
 * @param {Record<string, CustomElementConstructor>} elements
 */
export const defineAll = (elements) => {
  for (const [name, element] of Object.entries(elements)) customElements.define(name, element);
};
