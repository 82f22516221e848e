import { sealedTable } from '../../platform/database/sealed-table.ts';

export const SEALED_OPERATORS = sealedTable({
  table: 'operators',
  keys: ['operator_id'],
  columns: ['totp_sealed', 'totp_pending_sealed'],
  as: 'sessions',
  contextOf: (operatorId) => `operator-totp:${operatorId}`,
});
