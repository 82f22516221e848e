import type { Clock } from './clock.ts';

/**
 * What the last look for due work found. Who has more than was claimed is known to have more: it goes on
 * until all of it was claimed, and for `KEPT_FOR_MS` at most, because the next look would read up to a
 * thousand rows and find the same, once for each claim. By so much somebody who comes new waits longer, while
 * others have more than may be under way at once.
 */
export interface KeptLook<Value> {
  /** A look begins. */
  begin(): void;
  /** Of the look that began last, by their keys: those for whom claims are made. */
  keep(found: ReadonlyMap<string, Value>): void;
  /** Something of theirs came to wait since. */
  add(key: string, value: Value): void;
  /** A claim found less of theirs than it asked for: there is no more. */
  drained(key: string): void;
  /** Those that are left, while it goes on; null: it is time for another look. */
  values(): Value[] | null;
  /** Since the last look began (ms). */
  sinceMs(): number;
}

const KEPT_FOR_MS = 100;

export function createKeptLook<Value>(clock: Clock): KeptLook<Value> {
  let beganMs = Number.NEGATIVE_INFINITY;
  let kept = new Map<string, Value>();
  const sinceMs = () => clock.monotonicMs() - beganMs;
  return {
    begin() {
      beganMs = clock.monotonicMs();
      kept.clear();
    },
    keep(found) {
      kept = new Map([...found, ...kept]);
    },
    add: (key, value) => void kept.set(key, value),
    drained: (key) => void kept.delete(key),
    values: () => (kept.size > 0 && sinceMs() < KEPT_FOR_MS ? [...kept.values()] : null),
    sinceMs,
  };
}
