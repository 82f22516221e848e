/** Days of lists, UTC, as their addresses hold them. */

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/;

export function isMoment(given: string): boolean {
  return MOMENT.test(given) && !Number.isNaN(Date.parse(given));
}

/** The UTC day of a time: `2026-11-08`. */
export function dayOf(iso: string): string {
  return new Date(iso).toISOString().slice(0, 10);
}

/** Start of a UTC day, or of one that many days later. The day: `2026-11-08`. */
export function startOf(day: string, later = 0): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + later * 86_400_000).toISOString();
}
