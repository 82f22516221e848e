// The outbox of every library (docs/clients.md, Outbox), on a real PostgreSQL and a real service: its program
// (sdks/names.json, `outbox`) is killed before each piece of what it says to either, or hears from it. What
// one language wrote, or was killed at, the next sends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { seedOfCommit } from './differential.mjs';
import { startServer } from './server.mjs';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Exit code of sdks/<language>/run: a tool or a registry is missing. */
const SKIPPED = 77;
/** More than any program says and hears. */
const STEPS_MAX = 100;
/** The end of PostgreSQL's start-up (ReadyForQuery): nothing before it has an effect. */
const READY = 'Z'.charCodeAt(0);
const KEY = 'acuse_outbox_0000';

/** Answers of a service that is not ours → what must stand in the row afterwards. */
const ANSWERS = [
  { status: 422, code: 'recipient_suppressed', state: 'refused', error: 'recipient_suppressed: No.' },
  { status: 409, code: 'conflict', state: 'refused', error: 'conflict: No.' },
  { status: 422, code: 'accepted_before', state: 'sent', error: null },
  { status: 401, code: 'unauthorized', state: 'waiting', error: 'unauthorized: No.' },
  { status: 403, code: 'tenant_suspended', state: 'waiting', error: 'tenant_suspended: No.' },
  { status: 429, code: 'quota_exceeded', state: 'waiting', error: 'quota_exceeded: No.' },
  { status: 429, code: 'rate_limited', retryAfter: 7200, state: 'waiting', error: 'rate_limited: No.' },
  { status: 404, body: '<p>Not here.</p>', state: 'waiting', error: /^http_404: / },
  { status: 201, body: '{"id":', state: 'waiting', error: /./ },
];

/**
 * `{ok, seconds, kills, skipped, problems}`; `only`: languages, null for all; `every`: kills before each nth
 * piece alone, of which the commit chooses the first.
 */
export async function runOutbox({ only, every = 1, isStrict = false }) {
  const first = 1 + (seedOfCommit() % every);
  const since = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'acuse-outbox-'));
  const { languages: all } = JSON.parse(readFileSync(join(ROOT, 'sdks/names.json'), 'utf8'));
  const wanted = Object.entries(all).filter(([name, { outbox }]) => outbox && (only?.includes(name) ?? true));
  const report = { kills: 0, problems: [], skipped: {} };
  const server = await startServer(folder);
  const postgres = await startPostgres();
  try {
    const ready = [];
    for (const [language, { outbox }] of wanted) {
      const { code, said } = await ended(start(language, outbox, [], {}));
      if (code === 0) ready.push({ language, command: outbox });
      else if (code === SKIPPED && !isStrict) report.skipped[language] = said;
      else report.problems.push(`${language}: its program does not build: ${said}`);
    }
    for (const [at, one] of ready.entries()) {
      const next = ready[(at + 1) % ready.length];
      const database = await postgres.create(`outbox_${one.language}`);
      const trial = new Trial({ one, next, server, database, postgres, report, first, every });
      await trial
        .run()
        .catch((error) => report.problems.push(`${one.language}: ${error.stack ?? error.message}`));
      await database.end();
    }
  } finally {
    await postgres.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const ok = report.problems.length === 0;
  return { ok, seconds: Math.round((performance.now() - since) / 1000), ...report };
}

export function outboxText({ ok, seconds, kills, skipped, problems }) {
  const lines = [...problems, ...Object.entries(skipped).map(([name, why]) => `${name}: skipped: ${why}`)];
  return [...lines, `outbox: ${ok ? 'passed' : 'FAILED'}, killed ${kills} times, ${seconds} s`].join('\n');
}

function start(language, command, args, env) {
  const child = spawn(command[0], [...command.slice(1), ...args], {
    cwd: join(ROOT, 'sdks', language),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  child.written = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      child.written = (child.written + text).slice(-4_000);
    });
  return child;
}

async function ended(child) {
  const [code] = await once(child, 'close');
  return { code, said: child.written.trim() };
}

/** The PostgreSQL of the tests; it ends when its standard input does. */
async function startPostgres() {
  await ended(spawnNode(['scripts/build.mjs', 'postgres-for-tests']));
  const child = spawn(process.execPath, [join(ROOT, 'server/dist/postgres-for-tests.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url, prefix } = JSON.parse(line);
  const at = new URL(url);
  const socket = `${at.searchParams.get('host')}/.s.PGSQL.${at.port || 5432}`;
  const user = at.searchParams.get('user');
  const clientOf = async (name) => {
    const own = new URL(url);
    own.pathname = `/${name}`;
    const client = new pg.Client({ connectionString: own.href });
    await client.connect();
    return client;
  };
  return {
    socket,
    url: (port, name) => `postgresql://${user}@127.0.0.1:${port}/${name}?sslmode=disable`,
    async create(name) {
      const admin = await clientOf(at.pathname.slice(1));
      await admin.query(`create database ${prefix}_${name}`);
      await admin.end();
      return clientOf(`${prefix}_${name}`);
    },
    async stop() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

function spawnNode(args) {
  return Object.assign(spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }), { written: '' });
}

/**
 * Listens, and passes every piece on to `target`, both ways. `before` is called with each; true: the peer is
 * gone, and nothing is passed on any more.
 */
async function relay(target, before) {
  const sockets = new Set();
  const server = createServer((near) => {
    const far = connect(target);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(from);
      from.on('data', (piece) => {
        if (!before(piece, from === far)) to.write(piece);
      });
      from.on('end', () => to.end()).on('error', () => to.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: server.address().port,
    close() {
      for (const each of sockets) each.destroy();
      server.close();
    },
  };
}

/** One library, with another that goes on where it was killed. */
class Trial {
  constructor(facts) {
    const { one } = facts;
    Object.assign(this, facts);
    // The service may be another run's too.
    this.name = `${one.language}-${Date.now()}`;
    this.address = `delivered+outbox-${this.name}@sandbox.test`;
  }

  /** Runs a program; killed before piece number `killAt`, which nobody gets then. */
  async program({ language, command }, args, { killAt = Number.POSITIVE_INFINITY, url } = {}) {
    let pieces = 0;
    let isUp = false;
    let killed = false;
    const before = () => {
      if (!killed && ++pieces === killAt) {
        killed = true;
        process.kill(-child.pid, 'SIGKILL');
      }
      return killed;
    };
    const service = new URL(url ?? this.server.url);
    const database = await relay(this.postgres.socket, (piece, isAnswer) => {
      if (isUp) return before();
      isUp = isAnswer && piece.at(-6) === READY;
      return false;
    });
    const api = await relay({ host: service.hostname, port: service.port }, before);
    const child = start(language, command, args, {
      DATABASE_URL: this.postgres.url(database.port, this.database.database),
      ACUSE_URL: `http://127.0.0.1:${api.port}`,
      ACUSE_API_KEY: url === undefined ? this.server.key : KEY,
    });
    const { code, said } = await ended(child);
    database.close();
    api.close();
    if (killed) this.report.kills++;
    else if (code !== 0)
      throw new Error(`${command.join(' ')} ${args.join(' ')} ended with ${code}: ${said}`);
    return { killed, said };
  }

  /** Problem, unless it is so. */
  expect(is, what) {
    if (!is) this.report.problems.push(`${this.one.language}: ${what}`);
  }

  async rows(sql, values = []) {
    return (await this.database.query(sql, values)).rows;
  }

  /** As if the time had passed after which whoever took a message may have died. */
  dueAgain(keys) {
    return this.database.query('update acuse_outbox set due_at = now() where idempotency_key = any ($1)', [
      keys,
    ]);
  }

  async run() {
    await this.program(this.one, ['setup']);
    const added = await this.killAdding();
    await this.killSending(added);
    await this.sendAtOnce();
    await this.answers();
  }

  /** Killed at each step of writing: the invoice and its message are there, or neither is. */
  async killAdding() {
    const keys = [];
    for (let killAt = this.first; killAt < STEPS_MAX; killAt += this.every) {
      const key = `${this.name}-add-${killAt}`;
      keys.push(key);
      const { killed } = await this.program(this.one, ['add', this.address, key], { killAt });
      const [{ invoices, messages }] = await this.rows(
        `select (select count(*) from invoices where number = $1)::int as invoices,
         (select count(*) from acuse_outbox where idempotency_key = $1)::int as messages`,
        [key],
      );
      this.expect(invoices === messages, `killed at ${killAt}: ${invoices} invoices, ${messages} messages`);
      if (!killed) break;
    }
    // A row that was rolled back is written again, once.
    await this.program(this.one, ['add', this.address, ...keys]);
    const rows = await this.rows('select idempotency_key as key from acuse_outbox');
    this.expect(rows.length === keys.length, `${rows.length} messages of ${keys.length} invoices`);
    return keys;
  }

  /** Killed at each step of sending, and sent by the next: once. */
  async killSending(keys) {
    await this.database.query(`update acuse_outbox set due_at = 'infinity'`);
    for (let killAt = this.first; killAt < STEPS_MAX; killAt += this.every) {
      const key = `${this.name}-add-${killAt}`;
      if (!keys.includes(key)) {
        await this.program(this.next, ['add', this.address, key]);
        keys.push(key);
      }
      await this.dueAgain([key]);
      if (!(await this.program(this.one, ['send'], { killAt })).killed) break;
    }
    await this.dueAgain(keys);
    await this.program(this.next, ['send']);
    await this.checkSent(keys);
  }

  /** Two at once: neither sends what the other has taken. */
  async sendAtOnce() {
    const keys = Array.from({ length: 8 }, (_, n) => `${this.name}-both-${n}`);
    await this.program(this.one, ['add', this.address, ...keys]);
    const both = await Promise.all([this.program(this.one, ['send']), this.program(this.next, ['send'])]);
    const sum = both.reduce((total, { said }) => total + Number(said), 0);
    this.expect(sum === keys.length, `two senders of ${keys.length} messages said they sent ${sum}`);
    await this.checkSent(keys);
    const tries = await this.rows(
      `select 1 from acuse_outbox where idempotency_key ~ 'both' and attempts > 1`,
    );
    this.expect(tries.length === 0, `${tries.length} messages were tried twice`);
  }

  /** Each key made one message of the service, and its row says which. */
  async checkSent(keys) {
    const rows = await this.rows(
      `select idempotency_key as key, state, message, message_id as id, error, ended_at
       from acuse_outbox where idempotency_key = any ($1)`,
      [keys],
    );
    const accepted = new Map();
    for (const { id, subject } of await this.server.messages(this.address)) {
      const key = subject.replace('Invoice ', '');
      accepted.set(key, [...(accepted.get(key) ?? []), id]);
    }
    this.expect(rows.length === keys.length, `${rows.length} rows of ${keys.length}`);
    for (const { key, state, message, id, error, ended_at } of rows) {
      const whole = state === 'sent' && message === null && error === null && ended_at !== null;
      this.expect(whole, `${key}: its row is ${state}: ${error}`);
      const ids = accepted.get(key) ?? [];
      this.expect(ids.length === 1 && ids[0] === id, `${key}: sent ${ids.length} times; the row says ${id}`);
    }
  }

  /** The row's state at each answer. */
  async answers() {
    for (const [n, answer] of ANSWERS.entries()) {
      const key = `${this.name}-answer-${n}`;
      const bodies = [];
      const service = await answering(answer, bodies);
      await this.database.query(`update acuse_outbox set due_at = 'infinity'`);
      await this.program(this.one, ['add', this.address, key]);
      await this.program(this.one, ['send'], { url: service.url });
      service.close();
      await this.checkAnswer(key, answer, bodies);
    }
  }

  async checkAnswer(key, answer, bodies) {
    const [row] = await this.rows(
      `select state, error, message::text as message, attempts,
       extract(epoch from due_at - now())::float as seconds from acuse_outbox where idempotency_key = $1`,
      [key],
    );
    const what = `after ${answer.status} ${answer.code ?? answer.body}`;
    const { state, error } = answer;
    const isSaid = error instanceof RegExp ? error.test(row.error) : error === row.error;
    this.expect(row.state === state && isSaid, `${what}: ${row.state}, ${row.error}`);
    this.expect((row.message === null) === (state === 'sent'), `${what}: its content is wrong`);
    this.expect(row.attempts === 1, `${what}: ${row.attempts} attempts`);
    if (state === 'waiting') {
      const wanted = answer.retryAfter ?? 10;
      this.expect(Math.abs(row.seconds - wanted) < 120, `${what}: due in ${row.seconds} s`);
      this.expect(bodies.length === 1 && bodies[0] === row.message, `${what}: other bytes were sent`);
    }
  }
}

/** A service that always says the same. */
async function answering({ status, code, body, retryAfter }, bodies) {
  const server = createHttpServer(async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    bodies.push(text);
    const type = body?.startsWith('<') ? 'text/html' : 'application/json';
    response.writeHead(status, {
      'Content-Type': `${type}; charset=utf-8`,
      ...(retryAfter && { 'Retry-After': String(retryAfter) }),
    });
    response.end(body ?? JSON.stringify({ error: { code, message: 'No.' } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
