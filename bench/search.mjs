// npm run bench -- search [messages] [--in folder] [--kept]: what it costs to collect the words of an
// account's messages, how much room they take, and how long the first page of a search takes then. Only
// messages are filled, because a search reads nothing else. With `--in` the database stays there, for another
// run; with `--kept` that takes its words as they are.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { importBundled } from './bundled.mjs';
import { caller, inDatabase, superuser } from './lists.mjs';
import { cpuSeconds } from './processes.mjs';
import { makeAccount, startService } from './send-service.mjs';
import { digits, median, printTable } from './table.mjs';

const MESSAGES = 1_000_000;
const FILLED_AT_ONCE = 100_000;
const ROUNDS = 25;
const WITHOUT_REST = { mayGoOn: () => true, rest: async () => {} };
const DAYS = 365;

const FIRST = 'Ana,José,María,Luis,Sofía,Raúl,Núria,Íñigo,Begoña,Óscar,Lucía,Martín,Inés,Andrés,Elena,Hugo';
const LAST = 'García,Pérez,Núñez,López,Martínez,Sánchez,Ramírez,Ibáñez,Castañeda,Ordóñez,Vega,Solís,Cruz';
const KINDS = 'Factura,Recibo,Aviso,Contrato,Estado de cuenta,Cotización,Pedido';

/** Every recipient has five messages, names recur, and each subject has a number of its own. */
const FILL = `with given as (
  select n, first[1 + n / 5 % cardinality(first)] as first, last[1 + n / 35 % cardinality(last)] as last,
      kinds[1 + n % cardinality(kinds)] as kind, $5::bigint - ($4::bigint - n) * $6::bigint / $4::bigint as ms
    from generate_series($1::bigint, $2::bigint - 1) n,
      (select string_to_array('${FIRST}', ',') as first, string_to_array('${LAST}', ',') as last,
        string_to_array('${KINDS}', ',') as kinds) names
), message as (
  select *, case when n = 0 then 'needle@lost.example'
      else translate(lower(first || last), 'áéíóúñü', 'aeiounu') || n / 5 || '@company' || n / 5 % 2000 || '.mx'
      end as address
    from given
)
insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
    recipient_address, reverse_path, subject, certified, status, size_bytes, created_at, sent_at, attempts,
    sandbox, last_reply)
  select $3::uuid, (lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8000' ||
      lpad(to_hex(n), 12, '0'))::uuid, 's-' || n, 'billing@sandbox.test', first || ' ' || last || ' <' ||
      address || '>', 'billing@sandbox.test', address, 'b+' || n || '@bounce.sandbox.test',
      kind || ' A-' || 1000000 + n || ' de marzo', false, 'sent', 2000, to_timestamp(ms / 1000.0),
      to_timestamp(ms / 1000.0), 1, true,
      jsonb_build_object('code', 250, 'enhanced', '2.0.0', 'mx', 'mx.company.mx', 'text',
        'Ok: queued as 4' || upper(to_hex(n * 7919 % 4294967296)) || 'XyZ')
    from message`;

/** Searches, and what each looks for. */
const SEARCHES = {
  'a word of every seventh message': 'factura',
  'a name of every sixteenth, without its accent': 'inigo',
  'a name and a surname': 'begoña ordonez',
  'part of an address': 'castaneda1234',
  'a domain': 'company77.mx',
  'a number of one subject, old': '1000777',
  'an address, once, in the oldest message': 'needle@lost',
  'the same, of last week': 'needle@lost&days',
  'nothing has it': 'nobody@nowhere.example',
  'one word is everywhere, the other nowhere': 'factura zzzyx',
  'the id in a reply': '43DD7FXyZ',
  'two letters': 'an',
};

export async function run(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { in: { type: 'string' }, kept: { type: 'boolean', default: false } },
  });
  const count = Number(positionals[0] ?? MESSAGES);
  const dataDir = values.in ?? mkdtempSync(join(tmpdir(), 'acuse-search-'));
  mkdirSync(dataDir, { recursive: true });
  try {
    const key = existsSync(join(dataDir, 'sandbox.json'))
      ? JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')).api_key
      : await makeAccount(dataDir);
    const service = await startService(dataDir, { roles: 'api' });
    try {
      await fill(dataDir, count);
      if (!values.kept) await collect(dataDir, count);
      await measure(caller(service.url, key), [service.pid, postgresOf(dataDir)]);
    } finally {
      await service.stop();
    }
  } finally {
    if (values.in === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

const asSuperuser = (dataDir, work) => inDatabase(dataDir, work, superuser(dataDir));

async function tenantOf(client) {
  const { rows } = await client.query('select tenant_id from api_keys order by created_at limit 1');
  return rows[0].tenant_id;
}

async function fill(dataDir, count) {
  await asSuperuser(dataDir, async (client) => {
    await client.query(
      'create table if not exists bench_filled (below bigint not null, now_ms bigint not null)',
    );
    const { rows } = await client.query(
      'select max(below)::float8 as below, max(now_ms) as now_ms from bench_filled',
    );
    const nowMs = Number(rows[0].now_ms ?? Date.now() - 3_600_000);
    const tenantId = await tenantOf(client);
    await client.query('set synchronous_commit = off');
    for (let from = rows[0].below ?? 0; from < count; from += FILLED_AT_ONCE) {
      const below = Math.min(count, from + FILLED_AT_ONCE);
      await client.query('begin');
      await client.query(FILL, [from, below, tenantId, count, nowMs, DAYS * 86_400_000]);
      await client.query('insert into bench_filled values ($1, $2)', [below, nowMs]);
      await client.query('commit');
      process.stderr.write(`\r  ${below} of ${count} messages `);
    }
    process.stderr.write('\n');
    await client.query('vacuum (analyze) messages');
    await client.query('checkpoint');
  });
}

async function collect(dataDir, count) {
  const { collectWords, openDb, systemClock } = await importBundled('search-parts.ts');
  const postgres = postgresOf(dataDir);
  const { url } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8'));
  const db = openDb({ connectionString: url, poolSize: 2, applicationName: 'bench' });
  try {
    const tenantId = await asSuperuser(dataDir, tenantOf);
    await asSuperuser(dataDir, (client) => client.query('truncate search_words, search_segments'));
    const before = { own: process.cpuUsage(), postgres: cpuSeconds(postgres, { tree: true }) };
    const { segments } = await collectWords({ db, clock: systemClock }, tenantId, WITHOUT_REST);
    const { user, system } = process.cpuUsage(before.own);
    const messages = Math.max(1, segments * 8_192);
    const own = (user + system) / messages;
    const their = ((cpuSeconds(postgres, { tree: true }) - before.postgres) * 1e6) / messages;
    const size = await asSuperuser(dataDir, async (client) => {
      await client.query('vacuum (analyze) search_words, search_segments');
      const { rows } = await client.query(
        `select pg_total_relation_size('search_words')::float8 as words, pg_total_relation_size('messages')::float8 as messages`,
      );
      return rows[0];
    });
    printTable([
      {
        segments: digits(segments),
        'µs a message': digits(own + their, 1),
        'of it PostgreSQL': digits(their, 1),
        'bytes a message': digits(size.words / count, 1),
        'of the messages, %': digits((100 * size.words) / size.messages, 1),
      },
    ]);
  } finally {
    await db.close();
  }
}

const postgresOf = (dataDir) =>
  Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

async function measure(call, pids) {
  const spent = () => pids.reduce((sum, pid) => sum + cpuSeconds(pid, { tree: true }), 0);
  const weekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const rows = [];
  for (const [search, text] of Object.entries(SEARCHES)) {
    const [q, days] = text.split('&');
    const path = `/v1/messages?limit=50&q=${encodeURIComponent(q)}${days === undefined ? '' : `&created_after=${weekAgo}`}`;
    const times = [];
    const before = spent();
    let page;
    for (let round = 0; round < ROUNDS; round++) {
      const startedMs = performance.now();
      page = await call('GET', path);
      times.push(performance.now() - startedMs);
    }
    rows.push({
      search,
      'processor, ms': digits(((spent() - before) * 1_000) / ROUNDS, 1),
      'ms at best': digits(Math.min(...times), 1),
      median: digits(median(times), 1),
      most: digits(Math.max(...times), 1),
      'first time': digits(times[0], 1),
      messages: digits(page.data.length),
      complete: page.next_cursor === null || page.data.length === 50 ? 'yes' : `to ${page.scanned_to}`,
    });
  }
  printTable(rows, 1);
}
