import type { Config } from '../../config/config-type.ts';
import { type DatabaseNode, readNodes } from '../../platform/database/nodes-store.ts';
import { type DatabaseFacts, readDatabaseFacts } from './database-store.ts';
import type { Group } from './examine.ts';
import { type Finding, fault, ok } from './finding.ts';

export const database: Group = async ({ db, config }) =>
  db === null
    ? []
    : [
        ...judgeDatabase(await readDatabaseFacts(db), config),
        ...(await db.observe(readNodes)).map(judgeNode),
      ];

export function judgeNode({ name, reachable }: DatabaseNode): Finding {
  const place = ['database.node', name] as const;
  if (reachable) return ok(...place, 'The coordinator reaches it.');
  return fault(
    'problem',
    place,
    'The coordinator does not reach it: requests of its accounts are answered 503.',
    'start it, or promote its standby and tell the coordinator: select citus_update_node(nodeid, host, port)',
  );
}

export function judgeDatabase(
  facts: DatabaseFacts,
  config: Pick<Config, 'databaseUrl' | 'databasePool'>,
): Finding[] {
  return [
    ...judgeDurability(facts),
    ...judgeStandby(facts),
    ...(config.databaseUrl === null ? [EMBEDDED] : judgeArchive(facts)),
    judgeConnections(facts, config.databasePool),
  ];
}

const ABOUT = 'PostgreSQL';

const EMBEDDED = fault(
  'advice',
  ['database.archive', ABOUT],
  'The embedded PostgreSQL archives nothing: a lost disk loses what came after the last backup.',
  'run acuse backup --to <folder on another disk> each night, or set DATABASE_URL to a PostgreSQL with WAL archiving',
);

const set = (line: string) => `alter system set ${line}; select pg_reload_conf();`;
const restart = (line: string) => `alter system set ${line}; then restart PostgreSQL`;

function judgeDurability({
  fsync,
  fullPageWrites,
  synchronousCommit,
  checksums,
  version,
}: DatabaseFacts): Finding[] {
  const lost = 'after a power cut the database may be damaged, and what was answered 2xx lost';
  const commits = synchronousCommit === 'on' || synchronousCommit === 'remote_apply';
  return [
    ok('database.version', ABOUT, `Version ${version}.`),
    fsync === 'on'
      ? ok('database.fsync', ABOUT, 'fsync is on.')
      : fault('problem', ['database.fsync', ABOUT], `fsync is ${fsync}: ${lost}.`, set('fsync = on')),
    fullPageWrites === 'on'
      ? ok('database.full_page_writes', ABOUT, 'full_page_writes is on.')
      : fault(
          'problem',
          ['database.full_page_writes', ABOUT],
          `full_page_writes is ${fullPageWrites}: ${lost}.`,
          set('full_page_writes = on'),
        ),
    commits
      ? ok('database.synchronous_commit', ABOUT, `synchronous_commit is ${synchronousCommit}.`)
      : fault(
          'problem',
          ['database.synchronous_commit', ABOUT],
          `synchronous_commit is ${synchronousCommit} in our sessions: a 2xx may be lost.`,
          `${set('synchronous_commit = on')} and remove what sets it otherwise for the role, the database or the pooler`,
        ),
    checksums === 'on'
      ? ok('database.checksums', ABOUT, 'Data checksums are on.')
      : fault(
          'advice',
          ['database.checksums', ABOUT],
          'Data checksums are off: a disk that changes bytes is not noticed.',
          'stop PostgreSQL, run pg_checksums --enable, start it',
        ),
  ];
}

function judgeStandby({ standbyNames, standbys, recovering }: DatabaseFacts): Finding[] {
  const place = ['database.standby', ABOUT] as const;
  if (recovering)
    return [
      fault(
        'problem',
        place,
        'This is a standby: nothing can be written to it.',
        'let DATABASE_URL name the primary',
      ),
    ];
  if (standbyNames === '')
    return [
      fault(
        'advice',
        place,
        'No synchronous standby: the loss of this one machine loses mail and evidence.',
        "docs/recovery.md, A synchronous standby: synchronous_standby_names = 'ANY 1 (a, b)'",
      ),
    ];
  if (standbys === 0)
    return [
      fault(
        'problem',
        place,
        `Commits wait for ${standbyNames}, and no standby is connected: sends are answered 503.`,
        'start the standby; two of them (ANY 1) keep one outage from stopping sends',
      ),
    ];
  return [ok(...place, `Commits wait for ${standbyNames}; connected: ${standbys}.`)];
}

function judgeArchive({
  archiveMode,
  walLevel,
  archivedAt,
  archiveFailedAt,
  archiveFailedWal,
}: DatabaseFacts): Finding[] {
  const place = ['database.archive', ABOUT] as const;
  if (archiveMode === 'off') {
    const line = `archive_mode = on; alter system set archive_command = '<copies %p to your archive, such as pgbackrest archive-push %p>'${walLevel === 'minimal' ? '; alter system set wal_level = replica' : ''}`;
    return [
      fault(
        'warning',
        place,
        'WAL is not archived: a restore loses everything since the last base backup.',
        restart(line),
      ),
    ];
  }
  if (archiveFailedAt !== null && archiveFailedAt.getTime() > (archivedAt?.getTime() ?? 0))
    return [
      fault(
        'problem',
        place,
        `Archiving has failed since ${archiveFailedAt.toISOString()} (${archiveFailedWal}): the disk fills, and backups end there.`,
        'run archive_command by hand for that file, and look at the log of PostgreSQL',
      ),
    ];
  if (archivedAt === null) {
    const how = 'run select pg_switch_wal(); and look again';
    return [fault('warning', place, 'archive_mode is on, and nothing has been archived yet.', how)];
  }
  return [ok(...place, `WAL is archived, last at ${archivedAt.toISOString()}.`)];
}

/** Connections besides the two pools. */
const BESIDE_POOLS = 5;

function judgeConnections({ maxConnections, connections }: DatabaseFacts, pool: number): Finding {
  const place = ['database.connections', ABOUT] as const;
  const own = 2 * pool + BESIDE_POOLS;
  if (own <= maxConnections)
    return ok(...place, `${connections} of ${maxConnections} in use; a process opens up to ${own}.`);
  return fault(
    'warning',
    place,
    `A process opens up to ${own} connections, and the server takes ${maxConnections}.`,
    `${restart(`max_connections = ${own * 2}`)}, or lower ACUSE_DB_POOL`,
  );
}
