import assert from "node:assert/strict";
import { test } from "node:test";

import { showCurrentTabs } from "../../static/js/lib/tabs.js";

const pageWith = (strip) => ({ querySelectorAll: () => [strip] });
const strip = (values, current) => ({ offsetLeft: 10, scrollLeft: 0, querySelector: () => current, ...values });

test("the current tab stands in the middle of a line that is too long", () => {
  const tabs = strip({ clientWidth: 380, scrollWidth: 1100 }, { offsetLeft: 710, offsetWidth: 80 });
  showCurrentTabs(pageWith(tabs));
  assert.equal(tabs.scrollLeft, 700 - 150);
});

test("a line that fits, and one without a current tab, stay where they are", () => {
  const fits = strip({ clientWidth: 1200, scrollWidth: 1100 }, { offsetLeft: 710, offsetWidth: 80 });
  const none = strip({ clientWidth: 380, scrollWidth: 1100 }, null);
  for (const tabs of [fits, none]) {
    showCurrentTabs(pageWith(tabs));
    assert.equal(tabs.scrollLeft, 0);
  }
});
