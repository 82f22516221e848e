import pg from 'pg';
import { hostUrls } from './host-urls.ts';
import { connectToPrimary } from './hosts.ts';
import { ensureRoles } from './roles.ts';

/** PostgreSQL 15: the oldest that the migrations run on. */
const VERSION_MIN = 150_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** invalid_password, invalid_authorization_specification, invalid_catalog_name. */
const NOT_MADE = new Set(['28P01', '28000', '3D000']);

/**
 * Checks that a first start can use this database; changes nothing. Throws an Error that says what an
 * administrator has to run.
 */
export async function tryDatabase(url: string): Promise<void> {
  let client: pg.Client;
  try {
    client = await connectToPrimary(url, {
      application_name: 'acuse:setup',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const fix = NOT_MADE.has(code ?? '') ? `\n${createStatements(url)}` : '';
    throw new Error(`the database cannot be reached: ${message || code}${fix}`, { cause: error });
  }
  try {
    await requireUsable(client);
  } finally {
    await client.end();
  }
}

async function requireUsable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; shown: string; may_create: boolean }>(
    "select current_setting('server_version_num')::int as version, current_setting('server_version') as shown, has_database_privilege(current_database(), 'CREATE') and has_schema_privilege('public', 'CREATE') as may_create",
  );
  const { version, shown, may_create: mayCreate } = rows[0]!;
  if (version < VERSION_MIN) throw new Error(`it is PostgreSQL ${shown}: 15 or newer is needed`);
  if (!mayCreate)
    throw new Error(
      'the login may not make tables in this database: make it its owner (alter database … owner to …)',
    );
  // PostgreSQL creates roles in a transaction too: a rollback removes them.
  await client.query('begin');
  try {
    await ensureRoles(client);
  } finally {
    await client.query('rollback');
  }
}

/** The SQL that makes the login and the database of a URL. The password is not repeated. Opens nothing. */
function createStatements(url: string): string {
  const { user, database } = new pg.Client({ connectionString: hostUrls(url)?.[0] ?? url });
  const [role, name] = [user, database].map((each) => identifier(each ?? 'acuse'));
  return [
    'if the login or the database is not there yet, an administrator has to run:',
    `  create role ${role} login createrole password '<that of the URL>';`,
    `  create database ${name} owner ${role};`,
  ].join('\n');
}

function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replace(/"/g, '""')}"`;
}
