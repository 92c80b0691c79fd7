import assert from "node:assert/strict";
import test from "node:test";

import { moment } from "../../static/js/lib/moments.js";

const AT = new Date("2026-09-05T23:04:09Z");
const WRITTEN = {
  minute: ["5 Sep 2026, 23:04 UTC", "6 Sep 2026, 08:04 GMT+9"],
  second: ["5 Sep 2026, 23:04:09 UTC", "6 Sep 2026, 08:04:09 GMT+9"],
  time: ["23:04 UTC", "08:04 GMT+9"],
  clock: ["23:04:09 UTC", "08:04:09 GMT+9"],
  day: ["5 Sep 2026", "6 Sep 2026"],
  weekday: ["Saturday 5 September", "Sunday 6 September"],
};

for (const [form, [utc, tokyo]] of Object.entries(WRITTEN)) {
  test(`D7.18: a ${form} is written in the zone it is asked for`, () => {
    assert.equal(moment(AT, form, "UTC"), utc);
    assert.equal(moment(AT, form, "Asia/Tokyo"), tokyo);
  });
}

test("midnight is at 00", () => assert.equal(moment(new Date("2026-01-01T00:00:00Z"), "time", "UTC"), "00:00 UTC"));
