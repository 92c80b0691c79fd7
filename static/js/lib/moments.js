/** Moments in words, in the visitor's zone, which is said with every time; the same forms as webapp/common/wording.py. */

const PARTS = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZoneName: "short" };
const FORMS = {
  minute: ({ day, month, year, hour, minute, timeZoneName }) => `${day} ${month} ${year}, ${hour}:${minute} ${timeZoneName}`,
  second: ({ day, month, year, hour, minute, second, timeZoneName }) => `${day} ${month} ${year}, ${hour}:${minute}:${second} ${timeZoneName}`,
  time: ({ hour, minute, timeZoneName }) => `${hour}:${minute} ${timeZoneName}`,
  clock: ({ hour, minute, second, timeZoneName }) => `${hour}:${minute}:${second} ${timeZoneName}`,
  day: ({ day, month, year }) => `${day} ${month} ${year}`,
};

/**
 * @param {Date} date
 * @param {string} form minute, second, time, clock, day or weekday
 * @param {string} [timeZone] of the visitor unless given
 */
export function moment(date, form = "minute", timeZone = undefined) {
  if (form === "weekday") {
    const words = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", timeZone });
    return words.format(date).replace(",", "");
  }
  const parts = new Intl.DateTimeFormat("en-US", { ...PARTS, timeZone }).formatToParts(date);
  return FORMS[form](Object.fromEntries(parts.map(({ type, value }) => [type, value])));
}
