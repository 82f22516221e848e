import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readBundle } from '@acuse/evidence/bundle';
import { connect } from '@acuse/mail/smtp/client';
import { type DnsPeer, type PeerRecord, startDnsPeer } from '@acuse/testkit/dns-peer';
import { eventually } from '@acuse/testkit/eventually';
import { tempFolder } from '@acuse/testkit/temp-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allCommands } from '../../src/cli/commands.ts';
import { EXAMPLE_ID } from '../../src/cli/shared-options.ts';
import { createProcesses, type Service } from '../support/process.ts';
import { masterKey, openShell, type Shell, type Started } from '../support/shell.ts';

const COMMANDS = await allCommands();
const VECTORS = resolve(import.meta.dirname, '../../../contract/vectors');

/**
 * Every example of every command's help, run as a reader pastes it: on a real service whose log has a
 * witness, with the reader's own ids and addresses in place of those of the help. What goes on until it is
 * stopped is a process of its own, the others run here.
 */
const processes = createProcesses();
const dataDir = tempFolder();
const records: PeerRecord[] = [];
let dns: DnsPeer;
let witness: Started;
let service: Service;
let shell: Shell;

beforeAll(async () => {
  dns = await startDnsPeer((name, type) => {
    const found = records.filter((record) => record.name === name && record.type === type);
    return found.length === 0 ? undefined : { records: found };
  });
  const settings = { ACUSE_DNS_SERVERS: dns.server, ACUSE_MASTER_KEY: masterKey() };
  const databaseUrl = await processes.database();
  const first = await processes.start({ databaseUrl, dataDir, env: settings });
  shell = openShell({
    ...settings,
    DATABASE_URL: databaseUrl,
    ACUSE_DATA_DIR: dataDir,
    KEY: first.sandbox.log_key,
    ...ANY_PORTS,
  });
  const { vkey } = JSON.parse(await shell.run('acuse witness key w --name witness.example/w1 --json'));
  file('w.key', vkey);
  file('log.key', first.sandbox.log_key);
  witness = await shell.start('acuse witness --key w --log log.key --listen 127.0.0.1:0', LISTENING);
  const witnesses = [{ url: witness.said[1], vkey }];
  const ACUSE_WITNESSES = file('witnesses.json', JSON.stringify({ quorum: 1, witnesses }));
  await first.stop();
  service = await processes.start({ databaseUrl, dataDir, env: { ...settings, ACUSE_WITNESSES } });
  const { body } = await service.send({
    to: 'delivered+proof@sandbox.test',
    attachments: [{ filename: 'a.txt', content: 'YQ==' }],
  });
  file('promise.txt', body.promise);
  await bundleOf(body.id);
});
afterAll(async () => {
  await witness?.stop();
  await processes.end();
  await dns?.close();
});

const ANY_PORTS = Object.fromEntries(
  ['PORT', 'SANDBOX_SMTP_PORT', 'RETURN_PATH_PORT', 'SUBMISSION_PORT', 'SUBMISSIONS_PORT'].map((name) => [
    `ACUSE_${name}`,
    '0',
  ]),
);
const LISTENING = /listening on (http\S+)/;

function file(name: string, content: string | Uint8Array): string {
  const path = join(shell.folder, name);
  writeFileSync(path, content);
  return path;
}

/** proof.zip, policy.json and received.eml, as a recipient has them. */
async function bundleOf(id: string): Promise<void> {
  const { api_key } = service.sandbox;
  const headers = { authorization: `Bearer ${api_key}` };
  const ask = () => fetch(`${service.baseUrl}/v1/messages/${id}/proof-bundle`, { headers });
  await eventually(async () => (await ask()).ok);
  await service.until(id, 'sent');
  // A seal does not wait for the witness: until it has signed, the bundle says that a cosignature is missing.
  const bytes = await eventually(async () => {
    const bundle = new Uint8Array(await (await ask()).arrayBuffer());
    const policy = new TextDecoder().decode(readBundle(bundle).get('policy.json'));
    return JSON.parse(policy).witness_reached === undefined && bundle;
  });
  file('proof.zip', bytes);
  file('theirs.zip', bytes);
  const { time_stamps: authorities } = JSON.parse(
    new TextDecoder().decode(readBundle(bytes).get('policy.json')),
  );
  file('psc-root.pem', authorities[0].roots[0]);
  file('policy.json', readBundle(bytes).get('policy.json')!);
  const { cases } = JSON.parse(readFileSync(join(VECTORS, 'revocation.json'), 'utf8'));
  file('authority.crl', Buffer.from(cases[0].data, 'base64'));
  file('ended.json', await (await fetch(`${service.baseUrl}/log/end`)).text());
  const { body } = await service.call('GET', '/sandbox/mailbox?to=delivered%2Bproof@sandbox.test');
  const mail = await service.call('GET', `/sandbox/mailbox/${body.data[0].id}/raw`);
  file('received.eml', mail.body);
}

async function idOf(fields: object = {}): Promise<string> {
  const { status, body } = await service.send(fields);
  expect(status).toBe(201);
  return body.id;
}
const made = async (command: string) => JSON.parse(await shell.run(`acuse ${command} --json`));
const tenant = async (): Promise<string> => String(service.sandbox.tenant_id);

async function sealed(): Promise<string> {
  const id = await idOf({ certified: true });
  await eventually(async () => (await service.call('GET', `/v1/messages/${id}/evidence`)).status === 200);
  return id;
}

/** Needs of an example, and what it then does. */
interface Case {
  /** In place of the id in the help. */
  readonly id?: string;
  /** In place of other names in the help. */
  readonly instead?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly code?: number;
  /** It runs until it is stopped, and prints this. */
  readonly prints?: RegExp;
}

let numbered = 0;
async function domain(): Promise<Case> {
  const { id, records: wanted } = await made(`domains create d${++numbered}.example`);
  records.push(...wanted);
  return { id };
}

async function sender(): Promise<Case> {
  const name = `s${++numbered}.example`;
  await made(`domains create ${name}`);
  return { id: (await made(`senders add news@${name}`)).id };
}

const message = async (): Promise<Case> => ({ id: await idOf() });
const waiting = async (): Promise<Case> => {
  const id = await idOf({ to: 'deferred@sandbox.test' });
  await service.until(id, 'deferred');
  return { id };
};
const roleMail = async (): Promise<Case> => {
  const opened = await connect({
    ...{ host: 'localhost', address: '127.0.0.1', port: Number(service.sandbox['return_path_port']) },
    ...{ ehloName: 'a.example', tls: { mode: 'opportunistic' }, clock: { now: () => performance.now() } },
  });
  if (opened.kind !== 'ready') throw new Error(JSON.stringify(opened));
  const data = [Buffer.from(`Subject: letter ${++numbered}\r\n\r\nhello\r\n`)];
  await opened.session.send({ reversePath: 'ana@a.example', forwardPath: 'postmaster@localhost', data });
  await opened.session.quit();
  return { id: (await made('role-mail list')).data[0].id };
};
/** An account of a database of its own, which the example leaves paused or suspended. */
const otherAccount = async (): Promise<Case> => {
  const env = { DATABASE_URL: await processes.database() };
  return { id: JSON.parse(await shell.run('acuse tenants create --name Other --json', env)).id, env };
};
/** Operators of a database of its own: those that a first start has, or these two. */
const operators = async (line: string): Promise<Case> => {
  const env = { DATABASE_URL: await processes.database() };
  const first = /operators (?:add|link$)/.test(line);
  for (const name of first ? [] : ['bo', 'ana'])
    await shell.run(`acuse operators add ${name}@example.com`, env);
  return { env };
};
const member = async (): Promise<Case> => {
  await shell.run('acuse users link ana@example.com --role owner');
  return {};
};
/** A server of its own, on a folder and a database of its own. */
const another = async (): Promise<Case> => ({
  instead: { './second': tempFolder() },
  env: { ACUSE_DATA_DIR: tempFolder(), DATABASE_URL: await processes.database() },
  prints: /Stop with Ctrl-C/,
});
/** An installation with an embedded database, stopped, and a backup of it; made once. */
let embedded: Promise<{ env: Case['env'] & object; backup: string; to: string }> | null = null;
async function makeEmbedded() {
  const { dataDir: own, stop } = await processes.start();
  await stop();
  const env = { ACUSE_DATA_DIR: own, DATABASE_URL: '', ACUSE_MASTER_KEY: '' };
  const to = tempFolder();
  return { env, to, ...JSON.parse(await shell.run(`acuse backup --to ${to} --json`, env)) };
}
const backedUp = async (): Promise<Required<Pick<Case, 'instead' | 'env'>>> => {
  embedded ??= makeEmbedded();
  const { env, backup, to } = await embedded;
  const folders = { '/mnt/backup': to, '/var/lib/acuse': tempFolder(), './restored': tempFolder() };
  return { instead: { '/mnt/backup/acuse-20261123T020000.000Z': backup, ...folders }, env };
};
const anchorFolder = tempFolder();
const anchored = () => ({ instead: { '/mnt/anchor': anchorFolder } });
const log = (): Case => ({ instead: { 'https://log.example': service.baseUrl } });
const nothing = (): Case => ({});

/** By command, for each of its examples; a command that is not here needs nothing. */
const archived = (): Case => ({ instead: { '/mnt/archive': tempFolder() } });

const CASES: Readonly<Record<string, (line: string) => Case | Promise<Case>>> = {
  // A manifest that is missing is a problem, whatever else the tests' database has.
  doctor: () => ({ code: 1, env: { ACUSE_TSA_MANIFESTS: 'missing.json' } }),
  serve: another,
  // Here is no terminal, and what is answered is not enough: setup.outside.test.ts goes the whole way.
  setup: (line) => {
    file('answers.json', '{"account":"Example SA"}');
    return { code: line.includes('--questions') ? 0 : 2 };
  },
  // The tests' PostgreSQL has no Citus: distribute.outside.test.ts runs it where there is one.
  'db distribute': () => ({
    code: 1,
    instead: { 'db distribute': 'db distribute --coordinator db0.example:5432' },
  }),
  backup: backedUp,
  'restore run': backedUp,
  upgrade: backedUp,
  'restore drill': async (line) => {
    const { instead, env } = await backedUp();
    const anchor = tempFolder();
    if (line.includes('/mnt/anchor'))
      await shell.run('acuse log anchor --adopt', { ...env, ACUSE_LOG_ANCHOR: anchor });
    return { instead: { ...instead, '/mnt/anchor': anchor, '/srv/scratch': tempFolder() }, env };
  },
  // In this month there is nothing to archive yet.
  'archive create': archived,
  'archive drop': archived,
  'archive renew': archived,
  // archive-hostile.test.ts has an archive, which takes a month.
  'archive bundle': () => ({ ...archived(), id: '0190a6c2-7f3e-7c55-9d0a-000000000000', code: 3 }),
  'domains create': async (line) => {
    for (const { id, name } of (await made('domains list')).data)
      if (name === 'example.com') await shell.run(`acuse domains delete ${id}`);
    return line.includes('--tenant') ? { id: await tenant() } : {};
  },
  'domains show': domain,
  'domains verify': domain,
  'domains vouch': domain,
  'domains reports': domain,
  'domains requirements': domain,
  'domains delete': domain,
  'keys list': async () => ({ id: await tenant() }),
  // Its key is nobody's: nothing is attacked.
  attack: async () => ({ code: 3 }),
  // A service runs on the database.
  chaos: async () => ({ code: 1 }),
  'keys leaked': async () => ({ id: (await made('keys create --name unused')).id }),
  'keys revoke': async () => ({ id: (await made('keys create --name unused')).id }),
  'log anchor': (line) => ({ ...anchored(), code: line.includes('--adopt') ? 0 : 1 }),
  // A database without a log: server/test/evidence/second-key.test.ts adds one.
  'log add-key': async () => ({ env: { DATABASE_URL: await processes.database() }, code: 1 }),
  // It ends a log that contradicts its anchor: server/test/process/log-end.test.ts does.
  'log end': async () => ({ ...anchored(), env: { DATABASE_URL: await processes.database() }, code: 1 }),
  'log mirror': async (line) => {
    const { instead } = anchored();
    await sealed();
    await shell.run('acuse log anchor --adopt', { ACUSE_LOG_ANCHOR: instead['/mnt/anchor'] });
    const mirror = { '/mnt/mirror': tempFolder() };
    return { instead: { ...instead, ...mirror }, code: line.includes('--fill') ? 0 : 4 };
  },
  'restore catch-up': async () => {
    const { instead } = anchored();
    await shell.run('acuse log anchor --adopt', { ACUSE_LOG_ANCHOR: instead['/mnt/anchor'] });
    return { instead: { ...instead, '/mnt/mirror': tempFolder() } };
  },
  'restore begin': async () => ({ env: { DATABASE_URL: await processes.database() } }),
  'restore release': async (line) => {
    const DATABASE_URL = await processes.database();
    await shell.run('acuse restore begin --reason "disk lost"', { DATABASE_URL });
    return { env: { DATABASE_URL }, code: line.includes('--without-journal') ? 0 : 1 };
  },
  'queue resolve': async (line) => (line.includes('--send') ? { ...(await waiting()), code: 1 } : {}),
  'restore check': async () => {
    const { instead } = anchored();
    await shell.run('acuse log anchor --adopt', { ACUSE_LOG_ANCHOR: instead['/mnt/anchor'] });
    file('seen-by-our-monitor.txt', (await service.call('GET', '/log/checkpoint')).body);
    return { instead, env: { ACUSE_WITNESSES: join(shell.folder, 'witnesses.json') } };
  },
  'messages send': (line) => (line.includes('bounced+42') ? { code: 1 } : {}),
  'messages resend': async () => {
    const id = await idOf({ certified: false });
    await service.until(id, 'sent');
    return { id };
  },
  'messages show': message,
  'messages events': message,
  'messages attempts': message,
  'messages erase': async (line) => {
    if (line.includes('--force')) return { id: await sealed() };
    const id = await idOf({ certified: false });
    await service.until(id, 'sent');
    return { id };
  },
  monitor: (line) => {
    rmSync(join(shell.folder, 'monitor.json'), { force: true });
    return line.includes('--interval') ? { ...log(), prints: /"status": ?"ok"/ } : log();
  },
  'operators list': operators,
  'operators add': operators,
  'operators link': operators,
  'operators update': operators,
  'operators reset': operators,
  'operators remove': operators,
  'users link': member,
  'users forget-factor': member,
  'queue show': async (line) => (line.includes('--tenant') ? { id: await tenant() } : waiting()),
  'queue pause': otherAccount,
  'queue resume': async () => {
    await shell.run('acuse queue pause --destination example.com --reason test');
    return {};
  },
  'queue cancel': waiting,
  'queue cap': async (line) => (line.includes('--tenant') ? { id: await tenant() } : { env: POOLS }),
  'queue warm-up': () => ({ env: POOLS }),
  'queue uncap': async () => ({
    id: JSON.parse(await shell.run('acuse queue cap --per-day 5 --reason test --json')).cap_id,
  }),
  'queue forget': async () => {
    await shell.run('acuse queue note --destination example.com --note no_tls --value 1 --reason test');
    return {};
  },
  'role-mail show': roleMail,
  'role-mail delete': roleMail,
  'senders add': async () => {
    await made('domains create example.com').catch(nothing);
    return {};
  },
  'senders enable': sender,
  'senders disable': sender,
  'senders delete': sender,
  'suppressions remove': async (line) => {
    await shell.run(line.replace('remove', 'add')).catch(nothing);
    return {};
  },
  'tenants create': async () => ({ env: { DATABASE_URL: await processes.database() } }),
  'tenants update': async (line) => {
    const { id, env } = await otherAccount();
    return { id: id!, env: { ...env, ...(line.includes('--source-pool') && POOLS) } };
  },
  'psc attach': async () => {
    file('constancia.pdf', '%PDF-1.7');
    const { body } = await service.call('GET', `/v1/messages/${await sealed()}/evidence`);
    return { id: body.certificate_id };
  },
  // The sandbox's time-stamps are a development authority's.
  'psc probe': () => ({
    instead: { 'http://127.0.0.1:8025': service.baseUrl, 'https://psc.example': service.baseUrl },
  }),
  // There is no archive: archive-hostile.test.ts has one, which takes a month.
  verify: (line) =>
    line.includes('--archive')
      ? { code: 3 }
      : { code: 5, instead: { 'https://mail.example': service.baseUrl } },
  'webhooks listen': (line) => ({
    instead: { 'http://localhost:3000': service.baseUrl },
    prints: line.includes('--forward') ? /Forwarding to/ : /Listening for events/,
  }),
  'witness key': () => {
    rmSync(join(shell.folder, 'witness.key'), { force: true });
    return {};
  },
  witness: async () => {
    await shell.run('acuse witness key witness.key --name witness.example/w1').catch(nothing);
    file('logs.txt', String(service.sandbox.log_key));
    const instead = {
      'https://log.example': service.baseUrl,
      // Without a port of its own it takes the usual one, which may be taken here.
      '/log/key)"': '/log/key)" --listen 127.0.0.1:0',
      '0.0.0.0:8030': '127.0.0.1:0',
    };
    return { instead, prints: LISTENING };
  },
};
const POOLS = {
  ACUSE_DELIVERY: 'direct',
  ACUSE_HOSTNAME: 'mail.example.com',
  ACUSE_LOG_ORIGIN: 'mail.example.com/log',
  ACUSE_SOURCE_POOLS: 'bulk=bulk.example.com/192.0.2.11',
  ...Object.fromEntries(Object.keys(ANY_PORTS).map((name) => [name, ''])),
};

test.each(COMMANDS.map(({ name, examples }) => [name, examples] as const))(
  'acuse %s',
  async (name, examples) => {
    expect(examples.length).toBeGreaterThan(0);
    for (const line of examples) {
      const { id, instead = {}, env, code = 0, prints } = await (CASES[name] ?? nothing)(line);
      const pasted = Object.entries({ ...instead, ...(id && { [EXAMPLE_ID]: id }) })
        .reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), line)
        // The reader's own database.
        .replace(/^DATABASE_URL=\S+ /, '');
      expect(pasted, `an id for it: CASES['${name}'] in help-examples.test.ts`).not.toContain(EXAMPLE_ID);
      if (prints !== undefined) {
        const started = await shell.start(pasted, prints, env);
        expect(await started.stop(), line).toBe(0);
        continue;
      }
      const ended = await shell.run(pasted, env).then(
        () => ({ code: 0 }),
        (error) => error,
      );
      const hint = `what it needs beforehand goes into CASES['${name}'] of help-examples.test.ts`;
      expect(ended.code, `${line}\n${ended.stdout}\n${ended.stderr}\n${hint}`).toBe(code);
    }
  },
);
