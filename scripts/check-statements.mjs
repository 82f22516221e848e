#!/usr/bin/env node
// Statements and tables in the form that a database distributed by Citus takes (docs/decisions/0041), held:
// each table of server/schema.sql has its class in table-classes.ts, and fits it; each statement of a store
// names its tenant where its table has one, and has no form that Citus refuses. What must be otherwise is
// listed below, with why. Each breach is one line.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { isStore, serverSources, statementsOf } from './check-tables.mjs';
import { ROOT, readText, report } from './source-files.mjs';

const CLASSES_FILE = 'server/src/platform/database/table-classes.ts';

/** File, a part of the statement, and why it may look over all tenants, or has a form of its own. */
export const EXCEPTIONS = [
  {
    file: 'delivery/claim/claim-store.ts',
    part: 'set due_at = now(), leased_until = null',
    why: 'the leases of all, once a start, when no other process is left',
  },
  {
    file: 'delivery/claim/claim-store.ts',
    part: 'later.messages - later.held',
    why: 'what waits of all, for a metric: counted up to a limit',
  },
  {
    file: 'delivery/operate/cap-store.ts',
    part: 'where held_by = $1',
    why: 'a cap is taken back for all accounts, by hand: by an index of what waits for caps',
  },
  {
    file: 'delivery/operate/cap-store.ts',
    part: 'where held_by is not null',
    why: 'what waits for caps of all, for a metric: counted up to a limit by an index of it',
  },
  {
    file: 'delivery/operate/pause-store.ts',
    part: 'from paused_tenants) as tenant',
    why: 'how many are paused, for the operator',
  },
  {
    file: 'delivery/operate/pause-store.ts',
    part: 'where destination = $1 and due_at = expires_at',
    why: 'a pause of a destination ends for all accounts, by hand',
  },
  {
    file: 'evidence/stamp/issued-store.ts',
    part: 'from message_certificates where certificate_id = $1',
    why: 'the operator attaches a document by hand, and gives the id of the time-stamp alone',
  },
  {
    file: 'messages/schedule-store.ts',
    part: 'with recursive waiting',
    why: 'the skip scan of one machine; allTenantsOfNodes is in its place elsewhere',
  },
  {
    file: 'messages/schedule-store.ts',
    part: 'overdue_seconds',
    why: 'what is scheduled of all, for a metric: counted up to a limit',
  },
  {
    file: 'accounts/domains/trouble-store.ts',
    part: 'where degraded_since is not null',
    why: 'how many of all are not ready, for a metric: counted by an index of them alone',
  },
  {
    file: 'operate/retention/status-store.ts',
    part: 'order by deleted_at desc',
    why: 'what was deleted of all, for the operator',
  },
  {
    file: 'evidence/bundle/seal-store.ts',
    part: 'where leased_until > now()',
    why: 'the claims of all, once a start, when no other process is left',
  },
  {
    file: 'evidence/fsck/fsck-leaf-store.ts',
    part: 'where log_id = $1 and leaf_index >= $2 order by leaf_index',
    why: 'one log for all accounts: leaves by their place, those beyond its end',
  },
  {
    file: 'evidence/log/log-store.ts',
    part: 'select 1 from pending_leaves where log_id = $1 limit 1',
    why: 'one log for all accounts: whether anything waits for it',
  },
  {
    file: 'evidence/log/log-store.ts',
    part: 'canonical_hash as entry',
    why: 'one log for all accounts: its entries, by their place',
  },
  {
    file: 'evidence/metrics-store.ts',
    part: 'from pending_leaves where log_id = $1',
    why: 'one log for all accounts: what waits for it, up to a limit',
  },
  {
    file: 'evidence/metrics-store.ts',
    part: 'leaf_index = $2',
    why: 'one log for all accounts: a leaf by its place',
  },
  {
    file: 'evidence/status-store.ts',
    part: 'from pending_leaves where log_id = $1 limit $2',
    why: 'one log for all accounts: what waits for it, up to a limit',
  },
  {
    file: 'evidence/status-store.ts',
    part: 'from leaves where log_id = $1 and leaf_index >= $2 limit $3',
    why: 'one log for all accounts: what of it was never published, as a rule nothing',
  },
  {
    file: 'accounts/tenants/store.ts',
    part: 'from tenants where not sandbox and not internal',
    why: 'whether there is any account, at the start',
  },
  {
    file: 'webhooks/endpoint-store.ts',
    part: 'where previous_secret_until <= $1',
    why: 'old secrets of all, now and then',
  },
  {
    file: 'webhooks/metrics-store.ts',
    part: 'later.deliveries - later.held',
    why: 'what waits of all, for a metric: counted up to a limit',
  },
  {
    file: 'webhooks/queue-store.ts',
    part: 'where lease_id is not null',
    why: 'the leases of all, once a start, when no other process is left',
  },
];

/** Constraint or index → why its table may have it: `acuse db distribute` changes it. */
export const CHANGED_WHEN_DISTRIBUTED = {
  one_time_links_tenant_id_fkey: 'a copy on each node cannot refer to what is divided: dropped',
  shares_by_id: 'a unique index of a divided table has the tenant: one that is not unique takes its place',
};

/** Every breach in the tree, as lines. */
export async function findBreaches(root = ROOT, exceptions = EXCEPTIONS) {
  const { TABLE_CLASSES } = await readClasses(root);
  return [
    ...checkClasses(readText(join(root, 'server/schema.sql')), TABLE_CLASSES),
    ...checkStatements(serverSources(root), TABLE_CLASSES, exceptions),
  ];
}

/** As the server has it: the file is TypeScript, and imports nothing. */
async function readClasses(root) {
  const { outputText } = ts.transpileModule(readText(join(root, CLASSES_FILE)), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext },
  });
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}

/** `classes`: class → names of its tables. */
export function checkClasses(schema, classes, changed = CHANGED_WHEN_DISTRIBUTED) {
  const breaches = [];
  const classOf = new Map();
  for (const [kind, names] of Object.entries(classes))
    for (const name of names) {
      if (classOf.has(name)) breaches.push(`${name}: has two classes in ${CLASSES_FILE}`);
      classOf.set(name, kind);
    }
  const tables = new Map(
    [...schema.matchAll(/^create table (\w+) \(([\s\S]*?)(?=^create table |(?![\s\S]))/gm)].map(
      ([, name, text]) => [name, text],
    ),
  );
  // The migrator makes it, and no migration.
  for (const name of classOf.keys())
    if (!tables.has(name))
      breaches.push(`${name}: is in ${CLASSES_FILE} and not in server/schema.sql: remove it`);
  for (const [name, text] of tables) {
    const kind = classOf.get(name);
    if (kind === undefined) breaches.push(`${name}: has no class: list it in ${CLASSES_FILE}`);
    else breaches.push(...misfits(name, kind, text, classOf, changed));
  }
  return breaches;
}

function misfits(name, kind, text, classOf, changed) {
  const breaches = [];
  if (kind === 'distributed' && !/^ {2}tenant_id uuid not null/m.test(text))
    breaches.push(`${name}: is distributed and has no tenant_id that is not null`);
  if (kind === 'distributed' && !/PRIMARY KEY \(|replica identity (?:full|using index)/.test(text))
    breaches.push(
      `${name}: is distributed and can't be moved: it has no primary key and no replica identity`,
    );
  for (const [, constraint, rest] of text.matchAll(/^ {2}constraint (\w+) (.*)/gm)) {
    if (constraint in changed) continue;
    const [, keys] = /^(?:PRIMARY KEY|UNIQUE) \(([^)]*)\)/.exec(rest) ?? [];
    if (kind === 'distributed' && keys !== undefined && !/\btenant_id\b/.test(keys))
      breaches.push(`${name}: ${constraint} lacks tenant_id, which each key of a distributed table has`);
    const [, own, other] = /^FOREIGN KEY \(([^)]*)\) REFERENCES (\w+)/.exec(rest) ?? [];
    if (other === undefined || classOf.get(other) !== 'distributed') continue;
    if (kind !== 'distributed')
      breaches.push(
        `${name}: ${constraint} refers to ${other}, which is distributed, and ${name} is ${kind}`,
      );
    else if (!/\btenant_id\b/.test(own))
      breaches.push(`${name}: ${constraint} refers to rows of another tenant: it lacks tenant_id`);
  }
  for (const [, index, keys] of text.matchAll(/^create unique index (\w+) ON \w+ USING \w+ \((.*)\)/gim))
    if (kind === 'distributed' && !(index in changed) && !/\btenant_id\b/.test(keys))
      breaches.push(`${name}: ${index} lacks tenant_id, which each unique index of a distributed table has`);
  return breaches;
}

const BEGINS = /^\s*(?:with|select|insert|update|delete)\b/i;
const COMMENT = /\/\*[\s\S]*?\*\/|--[^\n]*/g;
/** Each form, its pattern, and the form to write in its place. */
const FORMS = [
  [
    'inserts rows of several tenants in a form that row-level security refuses',
    (sql) =>
      /^\s*insert\b/i.test(sql) &&
      /\bfrom\s+(?:unnest|generate_series)\b/i.test(sql) &&
      !/\b(?:on\s+conflict|returning)\b/i.test(sql),
    'end it with returning null',
  ],
  [
    'inserts in a `with` what another part of the statement changed',
    (sql) => /\bas\s+(?:materialized\s+)?\(\s*insert\b/i.test(sql) && changesOf(sql) > 1,
    'make two statements of it in one transaction',
  ],
  [
    'has a part without a column, which Citus cannot hand on between nodes',
    (sql) => /\(\s*select\s+from\b/i.test(sql),
    'write select 1 from',
  ],
  [
    'changes rows by a time that PostgreSQL reckons from a column, which Citus refuses',
    (sql) => /^\s*(?:update|delete)\b/i.test(sql) && /\w+\.\w+\s*[-+](?:(?![<>=,]).)*\binterval\b/i.test(sql),
    'hand the time in',
  ],
  [
    'returns a cast of what it changed, which Citus refuses where the cast is not immutable',
    (sql) => /\breturning\b[\s\S]*::text\b/i.test(sql),
    'cast it afterwards',
  ],
  ['is recursive', (sql) => /\bwith\s+recursive\b/i.test(sql), 'page by tenant instead'],
];

function changesOf(sql) {
  return [...sql.matchAll(/\b(?:insert\s+into|delete\s+from|(?<!\b(?:for|key|do)\s+)update\s+\w+)/gi)].length;
}

/** `files`: path → text of every source of the server. */
export function checkStatements(files, classes, exceptions) {
  const distributed = new Set(classes.distributed);
  const breaches = [];
  const used = new Set();
  for (const [path, text] of files) {
    if (/set_config\(\s*'acuse\.tenant_id'/.test(text))
      breaches.push(`${path}: a tenant's context is given by set local, which reaches every node`);
    if (!isStore(path)) continue;
    for (const { value, line } of statementsOf(path, text)) {
      const sql = value.replace(COMMENT, ' ');
      // Of local tables too: those that refer to others are Citus's.
      if (/^\s*update\b[\s\S]*\b(?:clock_timestamp|random|nextval)\s*\(/i.test(sql))
        breaches.push(`${path}:${line}: changes rows by a volatile function, which Citus refuses`);
      if (/\bdo\s+update\s+set\b(?:(?!\b(?:where|returning)\b)[\s\S])*(?:\binterval\b|\w\(\))/i.test(sql))
        breaches.push(`${path}:${line}: reckons a time in do update set, which Citus refuses: hand it in`);
      const tables = BEGINS.test(sql) ? tablesIn(sql).filter((name) => distributed.has(name)) : [];
      if (tables.length === 0) continue;
      const excused = exceptions.find(({ file, part }) => path.endsWith(file) && sql.includes(part));
      const found = faultsOf(sql, tables).map((fault) => `${path}:${line}: ${fault}`);
      if (excused !== undefined && found.length > 0) used.add(excused);
      else breaches.push(...found);
    }
  }
  for (const exception of exceptions)
    if (!used.has(exception))
      breaches.push(`${exception.file}: ${exception.part}: is listed and breaks no rule: remove it`);
  return [...new Set(breaches)];
}

function tablesIn(sql) {
  return [...sql.matchAll(/\b(?:from|join|into|update|using)\s+(?:only\s+)?(\w+)/gi)].map(([, name]) => name);
}

function faultsOf(sql, tables) {
  const faults = FORMS.filter(([, has]) => has(sql)).map(([what, , fix]) => `${what}: ${fix}`);
  if (!/\btenant_?id\b/i.test(sql.replace(/\bas\s+"tenantId"/g, '')))
    faults.push(`names no tenant, and ${tables[0]} is distributed by it: add tenant_id, or list it with why`);
  return faults;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) report(await findBreaches());
