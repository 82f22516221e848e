import { sealedTable } from '../../platform/database/sealed-table.ts';

/** The sealing context of a log's secrets. */
export function secretContext(logId: string): string {
  return `log:${logId}`;
}

export const SEALED_LOGS = sealedTable({
  table: 'logs',
  keys: ['log_id'],
  columns: ['private_key_sealed', 'mldsa44_seed_sealed'],
  as: 'worker',
  contextOf: secretContext,
});
