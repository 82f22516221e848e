import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/database/db.ts';
import type { Log } from '../../platform/logger.ts';
import { createLeases, type Leases } from '../../platform/queue/leases.ts';
import { extendLeases } from './claim-store.ts';
import type { ClaimedMessage } from './claimed-message.ts';

export type MessageLeases = Leases<ClaimedMessage>;

export function createMessageLeases({ db, clock, log }: { db: Db; clock: Clock; log: Log }): MessageLeases {
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
    onHeldAgain(known, item) {
      known.fence = item.fence;
    },
  });
}
