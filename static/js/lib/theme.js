/** Light, dark, or "" for what the system says. */

import { t } from "./t.js";

export const THEMES = ["", "light", "dark"];
const WORDS = { "": t("Theme: follow system"), light: t("Theme: light"), dark: t("Theme: dark") };
const YEAR_IN_SECONDS = 365 * 24 * 3600;

export const themeAfter = (theme) => THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];

export const themeWords = (theme) => WORDS[theme];

/** The cookie the server reads; following the system removes it. */
export const themeCookie = (theme) =>
  `theme=${theme}; path=/; samesite=lax; max-age=${theme ? YEAR_IN_SECONDS : 0}`;
