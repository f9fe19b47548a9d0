// Numbers, times and names as people read them.

const NUMBER = new Intl.NumberFormat("en-US");
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const TIME = new Intl.DateTimeFormat("en-US", { hour: "numeric", minute: "2-digit" });
const DATE = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric" });
const DATE_YEAR = new Intl.DateTimeFormat("en-US", { year: "numeric", month: "short", day: "numeric" });
const FULL = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "medium" });
const DAY = 86_400_000;

export function count(value: number): string {
  return NUMBER.format(value);
}

export function short(value: number): string {
  return value < 1000 ? NUMBER.format(Math.round(value)) : SHORT.format(value).toLowerCase();
}

/** An entry as people count: the first one is entry 1. */
export function entryNumber(at: number): string {
  return `entry ${count(at + 1)}`;
}

/** `1 entry`, `2 entries`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function money(dollars: number | null): string {
  if (dollars === null) return "–";
  if (dollars === 0) return "$0";
  if (dollars < 0.01) return "<$0.01";
  return `$${dollars.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** The time of day if it was today, else the day. */
export function when(time: number | null): string {
  if (time === null) return "";
  const date = new Date(time);
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return TIME.format(date);
  return now.getTime() - time < 300 * DAY ? DATE.format(date) : DATE_YEAR.format(date);
}

export function clock(time: number | null): string {
  return time === null ? "" : TIME.format(new Date(time));
}

export function fullTime(time: number | null): string {
  return time === null ? "" : FULL.format(new Date(time));
}

/** The last two names of a path, which is what tells projects apart. */
export function tail(path: string, names = 2): string {
  const parts = path.split("/").filter(Boolean);
  return parts.length <= names ? path : parts.slice(-names).join("/");
}

/** A long text in one line. */
export function oneLine(text: string, limit = 160): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
