import { sealedTable } from '../../platform/database/sealed-table.ts';

export const SEALED_USERS = sealedTable({
  table: 'users',
  keys: ['user_id'],
  columns: ['totp_sealed', 'totp_pending_sealed'],
  as: 'sessions',
  contextOf: (userId) => `totp:${userId}`,
});
