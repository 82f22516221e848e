/** From when until when a key or an authority is trusted. */
import { EvidenceError } from './errors.ts';
import { type JsonObject, readTime } from './read-json.ts';

/** `from` ≤ t < `until`, RFC 3339 in UTC with milliseconds; absent: no bound. */
export type Window = { readonly from?: string; readonly until?: string };

export function isWithin({ from, until }: Window, at: Date): boolean {
  const ms = at.getTime();
  return (from === undefined || Date.parse(from) <= ms) && (until === undefined || ms < Date.parse(until));
}

/** Throws EvidenceError `check` for a malformed time, or a window that ends before it begins. */
export function readWindow(object: JsonObject, check: string): Window {
  const bound = (name: 'from' | 'until'): { [name]?: string } => {
    if (!Object.hasOwn(object, name)) return {};
    return { [name]: readTime(object[name], check, name) };
  };
  const window: Window = { ...bound('from'), ...bound('until') };
  if (window.from !== undefined && window.until !== undefined && window.from >= window.until)
    throw new EvidenceError(check, 'until is not after from');
  return window;
}
