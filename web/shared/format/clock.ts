/** Times as numbers, for those that show none: small, because every page begins with it. */

/** Milliseconds between two times. */
export function elapsedMs(from: string, to: string): number {
  return Date.parse(to) - Date.parse(from);
}

/** Start of the day that lies this many days before today, UTC: `2026-11-08T00:00:00.000Z`. */
export function daysAgo(days: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - days)).toISOString();
}

/** This many days from now. */
export function daysAhead(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

export function isPast(iso: string): boolean {
  return Date.parse(iso) < Date.now();
}

/** By the reader's clock, for what takes a time. */
export function now(): Date {
  return new Date();
}

export function nowIso(): string {
  return new Date().toISOString();
}

/** Seconds since 1970, as notes of logs tell the time. */
export function secondsNow(): number {
  return Math.floor(Date.now() / 1_000);
}

export function secondsIso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

/** So long before a time (ms). */
export function earlier(iso: string, byMs: number): string {
  return new Date(Date.parse(iso) - byMs).toISOString();
}

export function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

/** Whole days from now until then; 0 once it is past. */
export function daysUntil(iso: string): number {
  return Math.max(0, Math.floor((Date.parse(iso) - Date.now()) / 86_400_000));
}

/** This UTC month and those before it, newest first: `2026-11`. */
export function lastMonths(count: number): readonly string[] {
  const now = new Date();
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7),
  );
}
