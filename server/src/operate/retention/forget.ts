import { deleteAttempts } from '../../delivery/erase-store.ts';
import { deleteVerifications } from '../../evidence/bundle/verification-store.ts';
import { deleteMessages, takeClaims } from '../../messages/erase-store.ts';
import { insertSpentKeys } from '../../messages/spent-key-store.ts';
import { hashOfKey } from '../../messages/spent-keys.ts';
import type { Tx } from '../../platform/database/db.ts';
import { deleteEvents } from '../../webhooks/erase-store.ts';
import { countDeleted, deleteShares, deleteTraces, type LockedRecord, lockRecords } from './forget-store.ts';
import type { SweepPage, SweptMessage } from './sweep-store.ts';

/**
 * Deletes one page of records of plain messages, each with everything that refers to it. A hash of its key
 * takes their place in the same transaction. Counts, suppressions and audit logs stay.
 */
export async function forgetPage(tx: Tx, page: SweepPage): Promise<SweptMessage[]> {
  const rows = await lockRecords(tx, page);
  const gone = rows.filter(({ fate }) => fate === 'deleted');
  if (gone.length > 0) await forget(tx, page.tenantId, gone);
  return rows.map(({ message_id, fate }) => ({ message_id, fate, bytes: 0 }));
}

async function forget(tx: Tx, tenantId: string, gone: readonly LockedRecord[]): Promise<void> {
  const ids = gone.map(({ message_id }) => message_id);
  const keys = await takeClaims(tx, tenantId, gone);
  if (keys.length > 0)
    insertSpentKeys(
      tx,
      tenantId,
      keys.map((key) => hashOfKey(tenantId, key)),
    );
  await deleteEvents(tx, tenantId, ids);
  deleteAttempts(tx, tenantId, ids);
  deleteVerifications(tx, tenantId, ids);
  deleteShares(tx, tenantId, ids);
  deleteTraces(tx, tenantId, ids);
  deleteMessages(tx, tenantId, ids);
  countDeleted(
    tx,
    tenantId,
    gone.map(({ day }) => day),
  );
}
