import pg from 'pg';
import { MigrationError, ROLES } from './roles.ts';
import { TABLE_CLASSES, type TableClass } from './table-classes.ts';

/**
 * Distributes a migrated database over PostgreSQL servers with Citus: tenants' tables by `tenant_id`, shared
 * tables as copies on each node, the rest on the coordinator. Can be repeated: after a fault, a migration or
 * a new worker. docs/decisions/0041
 */
interface DistributeOptions {
  readonly url: string;
  readonly coordinator: NodeAddress;
  readonly workers: readonly NodeAddress[];
  /** Null: the present number, or SHARDS_DEFAULT. */
  readonly shards: number | null;
}

export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

interface Distributed {
  readonly addedWorkers: string[];
  readonly advice: string[];
  readonly changed: Record<TableClass, string[]>;
}

export const SHARDS_DEFAULT = 32;
const CONNECT_TIMEOUT_MS = 10_000;

/** Throws MigrationError that says what an administrator must do. */
export async function distribute(options: DistributeOptions): Promise<Distributed> {
  const workers = options.workers.map((worker) => ({ ...worker, url: urlOf(options.url, worker) }));
  return withClient(options.url, async (client) => {
    const advice = await prepareNode(client);
    await requireMigrated(client);
    for (const { url } of workers) advice.push(...(await withClient(url, prepareNode)));
    const addedWorkers = await joinNodes(client, options);
    const changed = await placeTables(client, await chooseShards(client, options.shards));
    await letRowsMove(client);
    // Roles exist on a worker only after it joins.
    await prepareRoles(client);
    await prepareDatabase(client);
    for (const { url } of workers) await withClient(url, prepareDatabase);
    return { addedWorkers, advice, changed };
  });
}

function urlOf(coordinator: string, { host, port }: NodeAddress): string {
  const url = new URL(coordinator);
  url.hostname = host.includes(':') ? `[${host}]` : host;
  url.port = String(port);
  url.searchParams.delete('host');
  return url.href;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'acuse:distribute',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    const { hostname, port, pathname } = new URL(url);
    throw new MigrationError(
      `${hostname}:${port || 5432} cannot be reached as a node: ${(error as Error).message}; every node needs the database ${pathname.slice(1)} and this login`,
      { cause: error },
    );
  }
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

interface NodeState {
  readonly known: boolean;
  readonly superuser: boolean;
  readonly prepared: number;
  readonly logical: boolean;
  /** Seconds. */
  readonly reports: number;
  readonly node: string;
}

/** Returns advice. */
async function prepareNode(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<NodeState>(
    `select exists (select 1 from pg_available_extensions where name = 'citus') as known,
            (select rolsuper from pg_roles where rolname = current_user) as superuser,
            current_setting('max_prepared_transactions')::integer as prepared,
            current_setting('wal_level') = 'logical' as logical,
            (select setting::integer from pg_settings where name = 'wal_receiver_status_interval') as reports,
            coalesce(inet_server_addr()::text, 'the local server') || ', port ' || current_setting('port') as node`,
  );
  const { known, superuser, prepared, logical, reports, node } = rows[0]!;
  const refuse = (what: string): never => {
    throw new MigrationError(`${node}: ${what}`);
  };
  if (!superuser) refuse('distributing needs a superuser: name one in DATABASE_URL for this command');
  if (!known) refuse("Citus is not installed: install it, and set shared_preload_libraries = 'citus'");
  if (prepared === 0)
    refuse('max_prepared_transactions is 0: set it to max_connections or more, and restart PostgreSQL');
  await client.query('create extension if not exists citus');
  return [
    ...(logical
      ? []
      : [
          `${node}: set wal_level = logical, and restart: without it no account can be moved while it is used`,
        ]),
    // Citus lets nobody write until the copy has reported the last change, which an idle one does that often.
    ...(reports === 0 || reports > 1
      ? [
          `${node}: set wal_receiver_status_interval = 1s: it is ${reports}s, as long as all sends may wait while an account is moved`,
        ]
      : []),
  ];
}

async function requireMigrated(client: pg.Client): Promise<void> {
  const wanted = Object.values(TABLE_CLASSES).flat();
  const { rows } = await client.query<{ name: string }>(
    "select name from unnest($1::text[]) name where to_regclass('public.' || name) is null order by name",
    [wanted],
  );
  if (rows.length > 0)
    throw new MigrationError(
      `the database lacks ${rows.map(({ name }) => name).join(', ')}: run acuse db migrate first`,
    );
}

/** Returns the newly joined workers, as host:port. */
async function joinNodes(client: pg.Client, { coordinator, workers }: DistributeOptions): Promise<string[]> {
  const nodes = async () =>
    (
      await client.query<{ node: string }>(
        "select nodename || ':' || nodeport as node from pg_dist_node where groupid <> 0",
      )
    ).rows.map(({ node }) => node);
  const before = await nodes();
  if (before.length === 0)
    await client.query('select citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
  const added: string[] = [];
  for (const { host, port } of workers) {
    const name = `${host}:${port}`;
    if (before.includes(name)) continue;
    await client.query('select citus_add_node($1, $2)', [host, port]);
    added.push(name);
  }
  if ((await nodes()).length === 0)
    throw new MigrationError('no worker is known yet: name one or more with --workers host:port');
  return added;
}

async function chooseShards(client: pg.Client, wanted: number | null): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from pg_dist_shard join pg_dist_partition using (logicalrelid)
      where logicalrelid = 'public.tenants'::regclass and partmethod = 'h'`,
  );
  const { count } = rows[0]!;
  if (count === 0) return wanted ?? SHARDS_DEFAULT;
  if (wanted !== null && count !== wanted)
    throw new MigrationError(
      `the accounts are divided into ${count} shards already: leave --shards out, or divide them with Citus itself (alter_distributed_table)`,
    );
  return count;
}

async function placeTables(client: pg.Client, shards: number): Promise<Distributed['changed']> {
  await client.query('begin');
  // One connection to each node, so that each statement sees the one before.
  await client.query("set local citus.multi_shard_modify_mode = 'sequential'");
  const changed = await inOrder(client, shards);
  await client.query('commit');
  return changed;
}

/**
 * Citus moves accounts by logical replication, as a member of the tables' owner, and PostgreSQL lets no role
 * that is subject to policies replicate into a table. The owner is a superuser, whom FORCE never affected;
 * the service's roles stay subject to the policies.
 */
async function letRowsMove(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ change: string }>(
    `select format('alter table %s no force row level security', oid::regclass) as change
       from pg_class
      where relforcerowsecurity and relnamespace = 'public'::regnamespace and relname = any ($1::text[])`,
    [TABLE_CLASSES.distributed],
  );
  for (const { change } of rows) await client.query(change);
}

/** Without foreign keys: Citus would move referenced tables along with it. */
async function inOrder(client: pg.Client, shards: number): Promise<Distributed['changed']> {
  const changed: Distributed['changed'] = { distributed: [], reference: [], local: [] };
  const keys = await takeForeignKeys(client);
  // A tenant's table may refer to a reference table, never the other way round.
  for (const kind of ['reference', 'distributed', 'local'] as const) {
    for (const name of TABLE_CLASSES[kind]) {
      const placed = await readPlace(client, name);
      if (placed === kind) continue;
      // Citus can only convert local tables.
      if (placed !== null && placed !== 'local')
        throw new MigrationError(
          `the table ${name} is ${placed} and should be ${kind}: run undistribute_table('${name}') on the coordinator first`,
        );
      for (const change of CHANGES[name] ?? []) await client.query(change);
      await client.query(PLACES[kind], kind === 'distributed' ? [name, companionOf(name), shards] : [name]);
      changed[kind].push(name);
    }
  }
  for (const { restore } of keys) await client.query(restore);
  return changed;
}

async function takeForeignKeys(client: pg.Client): Promise<{ restore: string }[]> {
  const { rows } = await client.query<{ drop: string; restore: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname,
              pg_get_constraintdef(oid)) as restore
       from pg_constraint
      where contype = 'f' and connamespace = 'public'::regnamespace
        and not exists (select 1 from pg_dist_partition where logicalrelid = conrelid)
      order by conname`,
  );
  for (const { drop } of rows) await client.query(drop);
  return rows.filter(({ restore }) => !/^alter table one_time_links .* REFERENCES tenants/.test(restore));
}

async function readPlace(client: pg.Client, name: string): Promise<TableClass | null> {
  const { rows } = await client.query<{ place: TableClass }>(
    `select case when partmethod = 'h' then 'distributed' when repmodel = 't' then 'reference'
                 else 'local' end as place
       from pg_dist_partition where logicalrelid = ('public.' || $1)::regclass`,
    [name],
  );
  return rows[0]?.place ?? null;
}

/** Constraints that Citus does not support, removed when the database is distributed. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  // A unique index must contain the tenant. The ids are random, so that nothing depends on this one.
  shares: [
    'drop index if exists shares_by_id',
    'create index if not exists shares_by_share on shares (share_id)',
  ],
};

/** $1: the table; for a distributed one, $2: its colocated table, $3: the number of shards. */
const PLACES: Record<TableClass, string> = {
  distributed: `select create_distributed_table($1::text::regclass, 'tenant_id', colocate_with => $2,
    shard_count => case when $2 = 'none' then $3::integer end)`,
  reference: 'select create_reference_table($1::text::regclass)',
  local: 'select citus_add_local_table_to_metadata($1::text::regclass)',
};

const [FIRST] = TABLE_CLASSES.distributed;

function companionOf(name: string): string {
  return name === FIRST ? 'none' : FIRST;
}

/** Nodes connect to each other as the role of the statement, which must be able to log in. */
async function prepareRoles(client: pg.Client): Promise<void> {
  for (const role of ROLES) await client.query(`alter role ${role} login`);
}

const DATABASE_SETTINGS = [
  // `set local` then reaches the other nodes of a transaction, and carries the tenant.
  'citus.propagate_set_commands = local',
  // Else a statement over two shards holds both until its commit against all others: work of accounts that
  // have nothing in common waits in line, and deadlocks. PostgreSQL's row locks are enough, as on one node.
  'citus.enable_deadlock_prevention = off',
];

async function prepareDatabase(client: pg.Client): Promise<void> {
  // Each node separately: only a coordinator may configure others.
  await client.query('set citus.enable_ddl_propagation = off');
  for (const setting of DATABASE_SETTINGS)
    await client.query(
      `do $$ begin execute format('alter database %I set ${setting}', current_database()); end $$`,
    );
}
