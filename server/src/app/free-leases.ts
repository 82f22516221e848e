import { freeMessages } from '../delivery/claim/claim-store.ts';
import { freeSeals } from '../evidence/bundle/seal-store.ts';
import { freeWitnesses } from '../evidence/log/witness-store.ts';
import { freeStamps } from '../evidence/stamp/stamp-store.ts';
import type { Tx } from '../platform/database/db.ts';
import { freeDeliveries } from '../webhooks/queue-store.ts';

/**
 * Ends the leases on all that waits: nobody is left who could hold one. Checks of domains, renewals and
 * sweeps end theirs soon.
 */
export async function freeLeases(tx: Tx): Promise<void> {
  await freeMessages(tx);
  await freeDeliveries(tx);
  await freeStamps(tx);
  await freeWitnesses(tx);
  await freeSeals(tx);
}
