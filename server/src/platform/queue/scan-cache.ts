import type { Clock } from '../clock.ts';

/**
 * Caches the last scan for due work. Tenants with more work than was claimed stay in it until drained, for at
 * most `KEPT_FOR_MS`: another scan would read up to a thousand rows and find the same. Newcomers wait that
 * much longer.
 */
export interface ScanCache<Value> {
  begin(): void;
  keep(found: ReadonlyMap<string, Value>): void;
  /** New work of this key arrived. */
  add(key: string, value: Value): void;
  drained(key: string): void;
  /** Keys left, while the scan is valid; null: time for a new scan. */
  values(): Value[] | null;
  sinceMs(): number;
}

const KEPT_FOR_MS = 100;

export function createScanCache<Value>(clock: Clock): ScanCache<Value> {
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
