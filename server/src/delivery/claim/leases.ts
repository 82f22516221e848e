import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Log } from '../../platform/logger.ts';
import { createLeases, type Leases } from '../../platform/queue/leases.ts';
import { extendLeases } from './claim-store.ts';
import type { ClaimedMessage } from './claimed-message.ts';
import type { Places } from './places.ts';

export type MessageLeases = Leases<ClaimedMessage>;

interface MessageLeasesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly places: Pick<Places, 'taken' | 'left'>;
}

export function createMessageLeases({ db, clock, log, places }: MessageLeasesDeps): MessageLeases {
  return createLeases<ClaimedMessage>({
    clock,
    log,
    name: 'delivery',
    keyOf: (item) => item.messageId,
    ownerOf: (item) => item.tenantId,
    sinceOf: (item) => item.leasedAt,
    fenceOf: (item) => item.fence,
    extend: (items) =>
      extendLeases(
        db,
        items.map(({ tenantId, messageId, fence }) => ({ tenantId, messageId, attempt: fence })),
      ),
    onHeld: places.taken,
    onDropped: places.left,
    onHeldAgain(known, item) {
      known.fence = item.fence;
    },
  });
}
