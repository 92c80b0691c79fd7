import assert from "node:assert/strict";
import test from "node:test";

import { hashOf, turnOf } from "../../static/js/lib/address.js";
import { fileSize, magnification, share } from "../../static/js/lib/format.js";
import { themeAfter, themeCookie, themeWords } from "../../static/js/lib/theme.js";
import { lastLevel, tileAddress } from "../../static/js/lib/tiles.js";

test("the undefined is said and never nought", () => {
  for (const write of [share, magnification, fileSize]) {
    for (const value of [undefined, null, NaN, "3"]) assert.equal(write(value), "n/a");
  }
});

test("numbers are written as the server writes them", () => {
  assert.equal(share(0.754), "0.75");
  assert.equal(magnification(0.385), "39%");
  assert.equal(fileSize(999), "999\u00a0B");
  assert.equal(fileSize(8_400_000), "8.4\u00a0MB");
  assert.equal(fileSize(212_600_000), "213\u00a0MB");
});

test("a deep link names a turn, and only a number is one", () => {
  assert.equal(turnOf("#turn=3"), 3);
  for (const hash of ["", "#turn=", "#turn=-1", "#turn=3x", "#notes"]) assert.equal(turnOf(hash), null);
  assert.equal(hashOf(3), "#turn=3");
  assert.equal(hashOf(null), "");
});

test("the theme goes from the system to light to dark and round", () => {
  assert.deepEqual([themeAfter(""), themeAfter("light"), themeAfter("dark")], ["light", "dark", ""]);
  assert.equal(themeWords(""), "Theme: follow system");
});

test("following the system takes the cookie away", () => {
  assert.match(themeCookie(""), /max-age=0$/);
  assert.match(themeCookie("dark"), /^theme=dark; path=\/; samesite=lax; max-age=\d{8}$/);
});

test("tiles are numbered from one pixel to the whole", () => {
  assert.equal(tileAddress("/t/{level}/{column}_{row}.jpg", 12, 7, 4), "/t/12/7_4.jpg");
  assert.equal(lastLevel(3840, 2160), 12);
  assert.equal(lastLevel(4096, 10), 12);
  assert.equal(lastLevel(4097, 10), 13);
  assert.equal(lastLevel(1, 1), 0);
});
