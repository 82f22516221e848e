import type { Clock } from '../../platform/clock.ts';
import { Counts } from '../../platform/counts.ts';
import type { Db } from '../../platform/database/db.ts';
import { LightAbort, type Stop } from '../../platform/light-abort.ts';
import type { Log } from '../../platform/logger.ts';
import { createLeasesWith, type Leases } from '../../platform/queue/leases.ts';
import { extendLeases } from './claim-store.ts';
import type { ClaimedMessage } from './claimed.ts';

/** The leased messages, counted by tenant. One held already only gets its new fence. */
export interface MessageLeases extends Leases<ClaimedMessage, Stop> {
  heldBy(tenantId: string): number;
}

export interface MessageLeasesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly wallMs?: () => number;
}

export function createMessageLeases({ db, clock, log, wallMs }: MessageLeasesDeps): MessageLeases {
  const tenants = new Counts();
  const held = new Set<string>();
  const leases = createLeasesWith<ClaimedMessage, Stop>(
    {
      clock,
      log,
      name: 'delivery',
      keyOf: (item) => item.messageId,
      fenceOf: (item) => item.fence,
      extend: (items) =>
        extendLeases(
          db,
          items.map(({ tenantId, messageId, fence }) => ({ tenantId, messageId, attempt: fence })),
        ),
      onHeldAgain(known, item) {
        known.fence = item.fence;
      },
      ...(wallMs === undefined ? {} : { wallMs }),
    },
    () => new LightAbort(),
  );
  return {
    ...leases,
    get size() {
      return leases.size;
    },
    hold(items, askedAt) {
      const fresh = leases.hold(items, askedAt);
      for (const { tenantId, messageId } of fresh) {
        held.add(messageId);
        tenants.add(tenantId, 1);
      }
      return fresh;
    },
    drop(items) {
      leases.drop(items);
      for (const { tenantId, messageId } of items) {
        if (held.delete(messageId)) tenants.add(tenantId, -1);
      }
    },
    heldBy: (tenantId) => tenants.of(tenantId),
  };
}
