import type { Queryable } from '../../../platform/database/db.ts';
import type { Epoch } from './database-epoch.ts';

export async function readEpoch(db: Queryable): Promise<Epoch | null> {
  try {
    const [row] = await db.query<Epoch>(
      `select (select system_identifier::text from pg_control_system()) as system,
        ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`,
      [],
      'read_epoch',
    );
    return row!;
  } catch (error) {
    // Some managed databases hide these functions.
    if (/^42/.test((error as { code?: string }).code ?? '')) return null;
    throw error;
  }
}
