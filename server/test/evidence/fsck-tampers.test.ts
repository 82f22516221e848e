import { generateKeyPairSync, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { utf8 } from '@acuse/evidence/bytes';
import { cosign } from '@acuse/evidence/cosignature';
import { formatSignatureLine, parseNote } from '@acuse/evidence/note';
import { COSIGNATURE_V1, formatVerifierKey, verifierKey } from '@acuse/evidence/verifier-key';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fsck } from '../../src/evidence/fsck/fsck.ts';
import { sha256 } from '../../src/platform/sha256.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';
import { attempt, comeBack } from './deliveries.ts';
import { sealAll, worldOf } from './seal-all.ts';
import { startTsa, type TestMessage, type TestTsa } from './support.ts';

/**
 * Changes that an operator can make with psql, one row each: the statement, and what fsck says of it.
 * Messages are accepted through the API, so that every column is what it is in service. Each tampering is
 * undone by its transaction.
 */
let service: TestService;
let tsa: TestTsa;
/** As `fill` names them, in this order; those from the fifth on were not tried. */
let messages: TestMessage[];

beforeAll(async () => {
  service = await startTestService();
  tsa = await startTsa();
  const { db } = service;
  const world = worldOf(service);
  messages = [];
  for (const [at, fields] of FIELDS.entries()) {
    const { status, body } = await service.send({ to: 'ana@example.test', ...fields });
    expect([at, status]).toEqual([at, 201]);
    messages.push(await message(body.id));
  }
  const rfc822 = await service.call('POST', '/v1/messages', {
    body: 'From: =?utf-8?Q?Facturaci=C3=B3n?= <billing@sandbox.test>\r\nTo: ana@example.test\r\nSubject: =?iso-8859-1?Q?Recibo_n=FAmero?=\r\n 7\r\n\r\nHola.\r\n',
    headers: { 'content-type': 'message/rfc822', 'idempotency-key': newKey() },
  });
  expect(rfc822.status).toBe(201);
  const batch = await service.call('POST', '/v1/messages/batch', {
    body: {
      messages: [
        {
          idempotency_key: newKey(),
          from: 'billing@sandbox.test',
          to: 'ana@example.test',
          text: 'x',
          tags: ['lote'],
        },
      ],
    },
  });
  expect(batch.body.created).toBe(1);
  await sealAll(world, tsa);
  await attempt(db, [messages[0]!, messages[1]!, messages[2]!], 'sent');
  await comeBack(db, messages[1]!, 'bounce');
  await comeBack(db, messages[2]!, 'complaint');
  await attempt(db, [messages[3]!], 'bounced');
  await sealAll(world, tsa);
  await db.execute(
    `insert into issued_documents (token_sha256, content, created_at)
     select sha256(token), '\\x25504446', now() from certificates limit 1`,
    [],
  );
  await cosignNewest();
});
afterAll(async () => {
  await tsa.close();
  await service.stop();
});

const FIELDS = [
  { subject: 'Factura número 1  con dos espacios', tags: ['invoice', 'mx'], metadata: { order: '1' } },
  { subject: 'x'.repeat(300), from: 'Facturación, S.A. <billing@sandbox.test>' },
  { subject: '', text: 'sin asunto' },
  { subject: '=?utf-8?Q?literal?=' },
  { subject: 'waiting', to: '"Ana, la de \\"arriba\\"" <ana@example.test>' },
  {
    subject: 'Tab and  spaces',
    to: 'Ñandú de casa <ana@example.test>',
    from: 'a, b c <billing@sandbox.test>',
  },
  // Read apart from its leaf.
  { subject: 'large', text: 'Línea larga\n'.repeat(2_000), tags: ['big'] },
];

async function message(messageId: string): Promise<TestMessage> {
  const [row] = await service.db.query<{ raw: Buffer }>(
    'select raw from message_contents where message_id = $1',
    [messageId],
  );
  return { tenantId: service.account.tenantId, messageId, raw: row!.raw };
}

async function cosignNewest(): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const signer = {
    name: 'w.test/1',
    publicKey: raw,
    sign: (data: Uint8Array) => sign(null, data, privateKey),
  };
  const [newest] = await service.db.query<{ log_id: string; tree_size: number; note: string }>(
    'select log_id, tree_size, note from checkpoints order by tree_size desc limit 1',
  );
  const line = formatSignatureLine(cosign(parseNote(utf8(newest!.note)).text, 1_800_000_000, signer, sha256));
  await service.db.execute(
    'insert into cosignatures (log_id, tree_size, witness_key, line, witnessed_at) values ($1, $2, $3, $4, to_timestamp(1800000000))',
    [
      newest!.log_id,
      newest!.tree_size,
      formatVerifierKey(verifierKey('w.test/1', raw, sha256, COSIGNATURE_V1)),
      `${line}`,
    ],
  );
}

/** Runs the check on a tampered database, and undoes the tampering. */
async function findings(statements: readonly string[]): Promise<string[]> {
  const { db } = service;
  const undo = new Error('undo');
  let found: string[] = [];
  await db
    .transact(async (tx) => {
      for (const statement of statements) await tx.execute(fill(statement));
      const within = (work: never) => (work as (t: typeof tx) => unknown)(tx);
      const looking = {
        ...db,
        query: tx.query,
        execute: tx.execute,
        copyOut: tx.copyOut,
        transact: within,
        observe: within,
      };
      const result = await fsck({ db: looking as unknown as typeof db });
      found = result.problems.map(({ check, subject, detail }) => `${check}: ${subject}: ${detail}`);
      throw undo;
    })
    .catch((error) => {
      if (error !== undo) throw error;
    });
  return found;
}

/** `:sent`, `:bounced`, … are the messages. */
function fill(statement: string): string {
  const names = ['sent', 'bounced', 'complained', 'refused', 'waiting', 'spaced', 'large'];
  return statement.replace(/:(\w+)\b(?!:)/g, (whole, name) => {
    const at = names.indexOf(name);
    return at === -1 ? whole : `'${messages[at]!.messageId}'`;
  });
}

const set = (what: string, which = ':sent') => `update messages set ${what} where message_id = ${which}`;
/** A stored `email.queued` of a message that was in line at once. */
const queuedOf = (subject: string) =>
  `insert into events (tenant_id, event_id, message_id, type, occurred_at, data)
   select tenant_id, gen_random_uuid(), message_id, 'email.queued', created_at,
          jsonb_build_object('from', header_from, 'to', header_to, 'subject', ${subject}) from messages
    where message_id = :sent`;

const TAMPERS: readonly [what: string, statements: readonly string[], found: RegExp][] = [
  ['a subject', [set("subject = 'Otra'")], /^message: .*subject: the message says .*column "Otra"/m],
  ['a sender', [set("header_from = 'eva@sandbox.test'")], /^message: .*header_from/m],
  [
    "a sender's name",
    [set("header_from = 'Otra <billing@sandbox.test>'", ':bounced')],
    /^message: .*header_from/m,
  ],
  ['the sender as compared', [set("sender_address = 'eva@sandbox.test'")], /^message: .*sender_address/m],
  ['a recipient as shown', [set("header_to = 'eva@example.test'")], /^message: .*header_to/m],
  ['a recipient that is gone', [set("header_to = ''")], /^message: .*header_to/m],
  ['the recipient as sent to', [set("recipient_address = 'eva@example.test'")], /^openings: .*rcpt_to/m],
  ['the reverse path', [set("reverse_path = 'x@example.test'")], /^openings: .*mail_from/m],
  ['tags', [set("tags = '{paid}'")], /^message: .*tags/m],
  ['tags of a message that had none', [set("tags = '{paid}'", ':waiting')], /^message: .*tags/m],
  [
    'the content of a large message',
    ["update message_contents set raw = raw || '\\x20' where message_id = :large"],
    /^openings: .*mail.raw does not open/m,
  ],
  [
    'the request of a large message',
    ["update message_contents set submission = submission || '\\x20' where message_id = :large"],
    /^openings: .*submission does not open/m,
  ],
  [
    'the content of a large message that is gone',
    ['delete from message_contents where message_id = :large'],
    /^content: .*the content is gone, and no erasure is on record/m,
  ],
  ['the subject of a large message', [set("subject = 'Otra'", ':large')], /^message: .*subject/m],
  ['the tags of a large message', [set("tags = '{}'", ':large')], /^message: .*tags/m],
  ['metadata', [set('metadata = \'{"order":"2"}\'')], /^message: .*metadata/m],
  ['a template', [set('template_id = gen_random_uuid()')], /^message: .*template_id/m],
  [
    'a cancellation that never was',
    [
      "insert into events (tenant_id, event_id, message_id, type, occurred_at, data) select tenant_id, gen_random_uuid(), message_id, 'email.cancelled', now(), '{}' from messages where message_id = :sent",
    ],
    /^record: .*email\.cancelled was not listed once/m,
  ],
  ['a size', [set('size_bytes = 7')], /^message: .*size_bytes/m],
  ['an idempotency key', [set("idempotency_key = 'x'")], /^record: .*idempotency key/m],
  ['the time of acceptance', [set("created_at = created_at - interval '1 day'")], /^message: .*accepted_at/m],
  ['the time of delivery', [set("sent_at = sent_at - interval '1 day'")], /^delivery: .*occurred_at/m],
  [
    'the time of a bounce',
    [set("bounced_at = bounced_at - interval '1 day'", ':bounced')],
    /^delivery: .*occurred_at/m,
  ],
  ['a status', [set("status = 'sent'", ':bounced')], /^record: .*status sent is not/m],
  [
    'a bounce taken back',
    [set("status = 'sent', bounced_at = null", ':bounced')],
    /^outcomes: .*does not have one outcome leaf/m,
  ],
  [
    'a delivery that never was',
    [set("status = 'sent', sent_at = now(), next_attempt_at = null", ':waiting')],
    /^record: .*sent_at is not when an attempt was taken/m,
  ],
  [
    'the last reply of the attempt',
    ['update attempts set reply = reply || \'{"text": "ok"}\' where message_id = :sent'],
    /^delivery: .*its reply/m,
  ],
  [
    "the attempt's host",
    ['update attempts set reply = reply || \'{"mx": "mx.evil.test"}\' where message_id = :sent'],
    /^delivery: .*its mx/m,
  ],
  [
    'the peer that delivered a report, in the record',
    [
      "update messages set reported_by_mail = jsonb_set(reported_by_mail, '{peer,ip}', '\"192.0.2.66\"') where reported_by_mail is not null",
    ],
    /^delivery: .*stands in the message's record as something else/m,
  ],
  [
    'what a report claims, among the reports',
    [
      'update delivery_reports set reported_by_mail = reported_by_mail || \'{"vouched_by": null}\' where reported_by_mail is not null',
    ],
    /^delivery: .*stands in its reports as something else/m,
  ],
  [
    'a report that came by mail made one of our own',
    ['update messages set reported_by_mail = null'],
    /^delivery: .*stands in the message's record as something else/m,
  ],
  [
    "the attempt's outcome",
    ["update attempts set outcome = 'deferred' where message_id = :sent"],
    /^delivery: .*its outcome/m,
  ],
  [
    "the attempt's time",
    ["update attempts set finished_at = finished_at + interval '1 s' where message_id = :sent"],
    /^delivery: .*its finished_at/m,
  ],
  [
    "the attempt's conversation",
    ["update attempts set sessions = '[]' where message_id = :sent"],
    /^delivery: .*transcript/m,
  ],
  [
    'an attempt that is gone',
    ['delete from attempts where message_id = :sent'],
    /^record: .*attempts, there are 0/m,
  ],
  [
    'an attempt that never was',
    [
      "insert into attempts select tenant_id, message_id, 2, started_at, finished_at, 'deferred', null, reply, sessions from attempts where message_id = :sent",
    ],
    /^record: .*attempts, there are 2/m,
  ],
  ['a number of attempts', [set('attempts = 5')], /^record: .*it counts 5 attempts/m],
  [
    'an event that is gone',
    ["delete from events where message_id = :sent and type = 'email.sent'"],
    /^record: .*email\.sent was not recorded once/m,
  ],
  [
    'an event told twice',
    [
      "insert into events select tenant_id, gen_random_uuid(), message_id, type, occurred_at, data from events where message_id = :sent and type = 'email.sent'",
    ],
    /^record: .*email\.sent was not recorded once/m,
  ],
  [
    "an event's time",
    [
      "update events set occurred_at = occurred_at - interval '1 h' where message_id = :complained and type = 'email.complained'",
    ],
    /^record: .*email\.complained/m,
  ],
  [
    "an event's recipient",
    [
      'update events set data = data || \'{"to": "eva@example.test"}\' where message_id = :sent and type = \'email.sent\'',
    ],
    /^record: .*another recipient/m,
  ],
  [
    'an event that its message is already',
    [queuedOf('subject')],
    /^record: .*email\.queued was not recorded once/m,
  ],
  ["an event's subject", [queuedOf("'Otra'")], /^record: .*another sender or subject/m],
  [
    'an outcome taken out of the way into the log',
    [
      "delete from leaves where leaf_id in (select leaf_id from leaf_contents where message_id = :refused and kind = 'delivery')",
    ],
    /^outcomes: .*neither in the log nor on its way/m,
  ],
  [
    'an outcome whose content is gone with its status',
    [
      "delete from leaf_contents where message_id = :complained and kind = 'delivery' and ordinal = 2",
      set("status = 'sent', complained_at = null", ':complained'),
    ],
    /^record: .*email\.complained was not recorded once/m,
  ],
  [
    'a report',
    [`update attempts set report = report::jsonb || '{"status": "2.0.1"}' where message_id = :sent`],
    /^delivery: .*dsn/m,
  ],
  [
    'a constancia replaced by a later one',
    [
      'update certificates set certificate_id = gen_random_uuid() where tree_size = (select min(tree_size) from certificates)',
    ],
    /^constancia: .*gen_time .* is not what was reported/m,
  ],
  [
    'a log cut back, its constancia and cosignature gone too',
    [
      'delete from certificates where tree_size = (select max(tree_size) from checkpoints)',
      'delete from cosignatures',
      'delete from checkpoints where tree_size = (select max(tree_size) from checkpoints)',
      'delete from leaves where leaf_index >= (select max(tree_size) from checkpoints)',
      'update logs set tree_size = (select max(tree_size) from checkpoints) where tree_size > 0',
    ],
    /^tree_size: .*a tile is of \d+ leaves/m,
  ],
  [
    'a seal told of before its message was accepted',
    [
      "update events set occurred_at = occurred_at - interval '3 days' where message_id = :sent and type = 'email.sealed'",
    ],
    /^constancia: .*and reported for message/m,
  ],
  [
    'seals and constancias moved back together, and their checkpoints with them',
    [
      "update events set occurred_at = occurred_at - interval '3 days' where type = 'email.sealed'",
      "update certificates set created_at = created_at - interval '3 days'",
      "update checkpoints set created_at = created_at - interval '3 days'",
    ],
    /^constancia: .*was signed at .*before its message/m,
  ],
  [
    'the name of an authority',
    [`update certificates set policy = jsonb_set(policy, '{name}', '"PSC Secretaría de Economía"')`],
    /^constancia: PSC Secretaría de Economía: .*no authority of this name has sealed here/m,
  ],
  [
    'a log made one of the sandbox, or of none',
    ['update logs set sandbox = not sandbox'],
    /^log: .*sandbox/m,
  ],
  [
    'the time of a cosignature',
    ["update cosignatures set witnessed_at = witnessed_at - interval '1 s'"],
    /^cosignature: .*its time is 1800000000/m,
  ],
  [
    'what a log shows, beyond what it has',
    ['update logs set published_size = published_size + 1'],
    /^tree_size: .*is shown up to/m,
  ],
  [
    "a witness's signature over another note",
    ['update cosignatures set tree_size = (select min(tree_size) from checkpoints)'],
    /^cosignature: /m,
  ],
];

const NOTES = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');

describe('fsck', () => {
  it('finds nothing wrong with messages of every kind that nobody touched', async () => {
    expect(await findings([])).toEqual([]);
  });

  it.each(TAMPERS)('finds %s that was changed', async (_what, statements, found) => {
    expect((await findings(statements)).join('\n')).toMatch(found);
  });
});

/** How a column of a type is changed, each row to something else. */
const CHANGES: Readonly<Record<string, (column: string) => string>> = {
  'timestamp with time zone': (column) => `${column} - interval '3 days'`,
  uuid: () => 'gen_random_uuid()',
  text: (column) => `${column} || 'x'`,
  bytea: (column) => `set_byte(${column}, 0, get_byte(${column}, 0) # 1)`,
  'bytea[]': (column) => `${column} || '\\x00'::bytea`,
  'text[]': (column) => `${column} || 'x'::text`,
  boolean: (column) => `not ${column}`,
  smallint: (column) => `${column} + 1`,
  integer: (column) => `${column} + 1`,
  bigint: (column) => `${column} + 1`,
  json: () => `'[{"tampered": true}]'`,
  jsonb: (column) =>
    `case ${column} when '{}' then '{"x": "x"}' else jsonb_set(${column}, array[(select min(key) from jsonb_each(${column}))], '"x"') end`,
};

/**
 * By table, what nothing else says: the operator's word, which docs/operating.md calls so by these
 * names, and what nobody is shown (`private_key_sealed`). Whatever is not here must be found
 * when it is changed, or cannot be.
 */
const OPERATORS_WORD: Readonly<Record<string, string>> = {
  attempts: 'bounce_reason started_at',
  certificates: 'covered_until',
  checkpoints: '',
  cosignatures: '',
  events: 'event_id',
  issued_documents: 'content token_sha256',
  leaf_contents: 'created_at',
  leaves: '',
  log_tiles: '',
  logs: 'created_at private_key_sealed',
  messages: 'api_key_id bounce_reason last_reply next_attempt_at',
};

describe('every column', () => {
  it('that nothing else says is called the operator’s word where people read what fsck finds', () => {
    const said = NOTES.slice(NOTES.indexOf('## What an operator'));
    const shown = Object.entries(OPERATORS_WORD).flatMap(([table, words]) =>
      words
        .split(' ')
        .filter((word) => word !== '' && word !== 'private_key_sealed')
        .map((word) => `\`${table}.${word}\``),
    );
    for (const name of shown) expect(said).toContain(name);
  });

  it.each(Object.entries(OPERATORS_WORD))(
    'of %s is found when it is changed, or said to be the operator’s word',
    async (table, words) => {
      const columns = await service.db.query<{ name: string; type: string }>(
        `select a.attname as name, format_type(a.atttypid, null) as type from pg_attribute a
        where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
        [table],
      );
      const unfound: string[] = [];
      for (const { name, type } of columns) {
        // Nothing here has one. What holds these columns is among the tamperings above, if there is any.
        const [row] = await service.db.query<{ used: boolean }>(
          `select exists (select from ${table} where ${name} is not null) as used`,
        );
        if (!row!.used) continue;
        const change = CHANGES[type.replace(/\(\d\)/, '')];
        if (change === undefined) throw new Error(`${table}.${name} is a ${type}`);
        const statement = `update ${table} set ${name} = ${change(name)} where ${name} is not null`;
        const found = await findings([statement]).catch((error: { code?: string }) => {
          // The database itself keeps it: a key, or what a constraint says of it.
          if (/^23/.test(error.code ?? '')) return ['refused'];
          throw error;
        });
        if (found.length === 0) unfound.push(name);
      }
      expect(unfound.sort().join(' ')).toBe(words);
    },
  );
});
