import type { SecretBox } from '../secrets.ts';
import type { DbAndClock, Queryable } from './db.ts';
import { changed } from './rows.ts';
import type { SealedTable } from './sealed-table.ts';

export interface InstallationSecretDeps extends DbAndClock {
  readonly secrets: SecretBox;
}

/**
 * A secret of the installation, created by the first process that asks and shared by all. Throws under the
 * wrong master key.
 */
export async function loadInstallationSecret(
  deps: InstallationSecretDeps,
  name: string,
  make: () => Uint8Array,
): Promise<Buffer> {
  const { db, secrets, clock } = deps;
  const context = installationSecretContext(name);
  // In a transaction, for its barrier: what it seals or signs must not outlive it in a failover.
  const read = () => db.transact((tx) => find(tx, name));
  const known = await read();
  if (known !== undefined) return secrets.open(known, context);
  await db.execute(
    `insert into installation_secrets (name, sealed, created_at) values ($1, $2, $3)
     on conflict (name) do nothing`,
    [name, secrets.seal(make(), context), clock.now().toISOString()],
  );
  // Read back: another process may have stored one first.
  const stored = await read();
  if (stored === undefined) throw new Error(`installation secret ${name} was not stored`);
  return secrets.open(stored, context);
}

function installationSecretContext(name: string): string {
  return `installation:${name}`;
}

async function find(q: Queryable, name: string): Promise<Uint8Array | undefined> {
  const [row] = await q.query<{ sealed: Uint8Array }>(
    'select sealed from installation_secrets where name = $1',
    [name],
  );
  return row?.sealed;
}

interface Row {
  name: string;
  sealed: Uint8Array | null;
}

export const SEALED_INSTALLATION_SECRETS: SealedTable = {
  table: 'installation_secrets',
  columns: ['sealed'],
  as: 'worker',
  async read(tx, after, limit) {
    const rows = await tx.query<Row>(
      `select name, sealed from installation_secrets
       where name > $1 order by name limit $2`,
      [...(after ?? ['']), limit],
    );
    return rows.map((row) => ({
      ids: [row.name],
      sealed: [row.sealed],
      context: installationSecretContext(row.name),
    }));
  },
  replace(tx, { ids, sealed: before }, sealed) {
    return changed(
      tx,
      `update installation_secrets set sealed = $2
       where name = $1 and sealed is not distinct from $3`,
      [...ids, ...sealed, ...before],
    );
  },
};
