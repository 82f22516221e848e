import { freeMessages } from '../delivery/claim/claim-store.ts';
import { freeSeals } from '../evidence/bundle/seal-store.ts';
import { freeWitnesses } from '../evidence/log/witness-store.ts';
import { freeStamps } from '../evidence/stamp/stamp-store.ts';
import type { Tx } from '../platform/database/db.ts';
import { freeDeliveries } from '../webhooks/queue-store.ts';

/** Nobody can hold a lease any more. Domain checks, renewals and sweeps end theirs soon. */
export async function freeLeases(tx: Tx): Promise<void> {
  await freeMessages(tx);
  await freeDeliveries(tx);
  await freeStamps(tx);
  await freeWitnesses(tx);
  await freeSeals(tx);
}
