import type { NewReport } from './record-store.ts';
import type { Attempted } from './result.ts';

export function reportOn(_result: Attempted, _hostname: string): NewReport | null {
  return null;
}
