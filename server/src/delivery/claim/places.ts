import type { Clock } from '../../platform/clock.ts';
import { Counts } from '../../platform/counts.ts';
import type { ClaimedMessage } from './claimed-message.ts';

/**
 * Places for messages under way, shared by accounts: none holds more than four times the free ones.
 *
 * A message that is under way for long, because its server hangs or its line is long, is slow: it holds no
 * place any more, so that its account shuts nobody out, and nothing is broken off. Once there are as many
 * slow ones as places, an account that has an equal share of them begins nothing.
 */
export interface Places {
  /** Messages that the account may begin now. */
  roomFor(tenantId: string): number;
  /** Held places. */
  readonly used: number;
  taken(item: ClaimedMessage): void;
  left(item: ClaimedMessage): void;
}

/** Most conversations end within a second or two (ms). */
export const SLOW_AFTER_MS = 5_000;
/** An account may hold this many times what is free: four fifths for one alone, less for several. */
export const SHARE_OF_FREE = 4;
/** Messages under way at most, slow ones included, in times of the places. */
export const HELD_MAX_TIMES = 3;

export function createPlaces({ clock, places }: { clock: Clock; places: number }): Places {
  /** Since when, oldest first. */
  const quick = new Map<string, { readonly tenantId: string; readonly sinceMs: number }>();
  const quickOf = new Counts();
  const slowOf = new Counts();
  let slow = 0;

  function noteSlow(): void {
    const before = clock.monotonicMs() - SLOW_AFTER_MS;
    for (const [messageId, { tenantId, sinceMs }] of quick) {
      if (sinceMs > before) return;
      quick.delete(messageId);
      quickOf.add(tenantId, -1);
      slowOf.add(tenantId, 1);
      slow++;
    }
  }

  function hasShareOfSlow(tenantId: string): boolean {
    const own = slowOf.of(tenantId);
    return slow >= places && own > 0 && own >= Math.floor(places / slowOf.size);
  }

  return {
    roomFor(tenantId) {
      noteSlow();
      return hasShareOfSlow(tenantId) ? 0 : roomFor(places - quick.size, quickOf.of(tenantId));
    },
    get used() {
      noteSlow();
      return quick.size;
    },
    taken({ messageId, tenantId }) {
      quick.set(messageId, { tenantId, sinceMs: clock.monotonicMs() });
      quickOf.add(tenantId, 1);
    },
    left({ messageId, tenantId }) {
      if (quick.delete(messageId)) return void quickOf.add(tenantId, -1);
      slowOf.add(tenantId, -1);
      slow--;
    },
  };
}

/** The largest n with held + n ≤ SHARE_OF_FREE × (free − n). */
function roomFor(free: number, held: number): number {
  const room = Math.floor((SHARE_OF_FREE * free - held) / (1 + SHARE_OF_FREE));
  return Math.min(Math.max(room, held === 0 ? 1 : 0), free);
}
