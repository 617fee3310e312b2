/** Formats bytes for people: 1 KB is 1,000 bytes, as in file managers. */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1_000).toFixed(count < 10_000 ? 1 : 0)} KB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

export function duration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

export const number = (value: number): string => value.toLocaleString("en");

const utcDay = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
/** The day of a time in UTC, in which months begin and end. */
export const day = (iso: string): string => utcDay.format(new Date(iso));

const utcMonth = new Intl.DateTimeFormat("en", { month: "short", year: "numeric", timeZone: "UTC" });
export const month = (iso: string): string => utcMonth.format(new Date(iso));

const date = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
export const time = (iso: string): string => date.format(new Date(iso));

const ofDay = new Intl.DateTimeFormat("en", { timeStyle: "medium" });
export const clock = (time: Date): string => ofDay.format(time);
