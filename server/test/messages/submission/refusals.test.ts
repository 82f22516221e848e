import { readFileSync } from 'node:fs';
import { MESSAGE_MAX_BYTES } from '@acuse/mail/limits';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiError } from '../../../src/errors.ts';
import type { Accept } from '../../../src/messages/accept.ts';
import { REFUSALS, refusalOf } from '../../../src/messages/submission/refusals.ts';
import type { RawSmtp } from '../../support/raw-smtp.ts';
import { newKey } from '../../support/service.ts';
import {
  type Envelope,
  idIn,
  mail,
  openSubmissionWorld,
  type SubmissionWorld,
  sendRaw,
  verifiedDomain,
} from './harness.ts';

let world: SubmissionWorld;
/** Has a verified domain and no sender; and one whose quota is spent. */
let other: RawSmtp;
let poor: RawSmtp;
let smtp: RawSmtp;

beforeAll(async () => {
  world = await openSubmissionWorld();
  const strict = await world.tenant();
  await verifiedDomain(world, strict.tenantId, 'strict.test');
  other = await world.session(strict.key);
  const broke = await world.tenant({ quota: 0 });
  await verifiedDomain(world, broke.tenantId, 'broke.test');
  await world.service.call('POST', '/v1/senders', { body: { address: '*@broke.test' }, key: broke.key });
  poor = await world.session(broke.key);
  smtp = await world.session();
});
afterAll(async () => {
  for (const session of [other, poor, smtp]) session.end();
  await world.stop();
});

interface Row {
  what: string;
  reply: RegExp;
  outcome: string;
  send(): Promise<string>;
}

const sent = (fields: Parameters<typeof mail>[0], envelope?: Envelope) => () =>
  sendRaw(smtp, mail(fields), envelope);

const ROWS: Row[] = [
  {
    what: 'no text and no attachment',
    reply: /^554 5\.6\.0 .*text, html or an attachment/,
    outcome: 'invalid_body',
    send: sent({ body: '' }),
  },
  {
    what: 'a signed message that is not 7-bit',
    reply: /^554 5\.6\.0 /,
    outcome: 'invalid_body',
    send: sent({ headers: ['Content-Type: multipart/signed; boundary=x'], body: '--x\r\n\r\né\r\n--x--' }),
  },
  {
    what: 'a NUL in the text',
    reply: /^554 5\.6\.0 .*NUL/,
    outcome: 'invalid_body',
    send: sent({ body: 'a\0b' }),
  },
  {
    what: 'no From',
    reply: /^553 5\.1\.7 /,
    outcome: 'invalid_address',
    send: sent({ from: '' }),
  },
  {
    what: 'two authors',
    reply: /^553 5\.1\.7 /,
    outcome: 'invalid_address',
    send: sent({ from: 'a@sandbox.test, b@sandbox.test' }),
  },
  {
    what: 'a Sender that is another',
    reply: /^553 5\.1\.7 /,
    outcome: 'invalid_address',
    send: sent({ headers: ['Sender: ceo@sandbox.test'] }),
  },
  {
    what: 'a Message-ID that is too long for a key',
    reply: /^554 5\.6\.0 .*255/,
    outcome: 'invalid_idempotency_key',
    send: sent({ messageId: `<${'x'.repeat(260)}@client.test>` }),
  },
  {
    what: 'two keys',
    reply: /^554 5\.6\.0 .*more than one/,
    outcome: 'invalid_idempotency_key',
    send: sent({ headers: ['Idempotency-Key: a', 'Idempotency-Key: b'] }),
  },
  {
    what: 'a Message-ID that was another message',
    reply: /^554 5\.6\.0 .*different submission/,
    outcome: 'idempotency_key_reused',
    async send() {
      const messageId = `<${newKey()}@client.test>`;
      idIn(await sendRaw(smtp, mail({ messageId })));
      return sendRaw(smtp, mail({ messageId, subject: 'Another' }));
    },
  },
  {
    what: 'more than 25 MiB',
    reply: /^552 5\.3\.4 /,
    outcome: '',
    send: () => sendRaw(smtp, Buffer.concat([Buffer.from(mail()), lines(MESSAGE_MAX_BYTES)])),
  },
  {
    what: 'more than 25 MiB once it is encoded',
    reply: /^552 5\.3\.4 /,
    outcome: 'payload_too_large',
    send: () => sendRaw(smtp, eightBitText(20 * 1024 * 1024)),
  },
  {
    what: 'a domain of nobody',
    reply: /^550 5\.7\.1 elsewhere\.test is not a domain of this account/,
    outcome: 'domain_not_verified',
    send: sent({ from: 'a@elsewhere.test' }),
  },
  {
    what: 'a sender that is not approved',
    reply: /^550 5\.7\.1 .*not an approved, active sender/,
    outcome: 'from_not_approved',
    send: () => sendRaw(other, mail({ from: 'a@strict.test' })),
  },
  {
    what: 'a suppressed recipient',
    reply: /^550 5\.7\.1 gone@sandbox\.test is on this account's suppression list/,
    outcome: 'recipient_suppressed',
    async send() {
      await world.service.call('POST', '/v1/suppressions', { body: { address: 'gone@sandbox.test' } });
      return sendRaw(smtp, mail({ to: 'gone@sandbox.test' }), { forwardPath: 'gone@sandbox.test' });
    },
  },
  {
    what: 'a quota that is spent',
    reply: /^452 4\.7\.1 .*certified/,
    outcome: 'quota_exceeded',
    send: () => sendRaw(poor, mail({ from: 'a@broke.test' })),
  },
];

function lines(bytes: number): Buffer {
  return Buffer.alloc(bytes - (bytes % 78) + 78, `${'x'.repeat(76)}\r\n`);
}

/** Text whose every octet takes more once it is encoded for seven bits. */
function eightBitText(bytes: number): Buffer {
  const line = `${'é'.repeat(38)}\r\n`;
  const headers = [
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ];
  return Buffer.from(mail({ headers, body: line.repeat(Math.ceil(bytes / Buffer.byteLength(line))) }));
}

describe('is refused, and nothing is stored', () => {
  test.each(ROWS)('$what', async ({ reply, outcome, send }) => {
    const before = await world.count();
    const stored = outcome === 'idempotency_key_reused' ? 1 : 0;
    expect(await send()).toMatch(reply);
    expect(await world.count()).toBe(before + stored);
    if (outcome !== '') expect(world.outcomes.at(-1)).toBe(outcome);
  });

  test('what is announced as too large, before it is sent', async () => {
    expect(await smtp.command(`MAIL FROM:<> SIZE=${MESSAGE_MAX_BYTES + 1}`)).toMatch(/^552 5\.3\.4 /);
    expect(await smtp.command(`MAIL FROM:<> SIZE=${MESSAGE_MAX_BYTES}`)).toMatch(/^250 /);
    expect(await smtp.command('RSET')).toMatch(/^250 /);
  });

  test('what cannot be taken now is taken later, and a fault of ours is not the message’s', async () => {
    for (const [error, outcome] of [
      [apiError('unavailable'), 'unavailable'],
      [new Error('a bug'), 'internal_error'],
      [Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }), 'internal_error'],
    ] as const) {
      const reject = () => Promise.reject(error);
      const accept = Object.assign(reject, {
        all: reject,
        madeBefore: reject,
        replayOf: reject,
        prepare: reject,
        drain: async () => {},
        waiting: () => 0,
        waitedMs: () => 0,
      });
      const broken = await openSubmissionWorld({ submission: { accept: accept as Accept } });
      try {
        const session = await broken.session();
        expect(await sendRaw(session, mail())).toMatch(/^451 4\.3\.0 /);
        expect(await session.command('NOOP')).toMatch(/^250 /);
        expect(outcome).toBeDefined();
        session.end();
      } finally {
        await broken.stop();
      }
    }
  });

  test('can be mended and sent again under the same key', async () => {
    const messageId = `<${newKey()}@client.test>`;
    expect(await sendRaw(smtp, mail({ messageId, from: 'a@elsewhere.test' }))).toMatch(/^550 /);
    idIn(await sendRaw(smtp, mail({ messageId })));
  });
});

describe('the table', () => {
  test('is the one in docs/errors.md', () => {
    const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| (\d{3}) (\d\.\d\.\d) \| (.*) \|$/gm)].flatMap(
      ([, code, enhanced, codes]) =>
        [...codes!.matchAll(/`(\w+)`/g)].map(([, name]) => [name, `${code} ${enhanced}`]),
    );
    const documented = rows.filter((row) => row[1] !== '553 5.1.7');
    const table = Object.entries(REFUSALS).map(([name, { code, enhanced }]) => [name, `${code} ${enhanced}`]);
    expect(documented.sort()).toEqual(table.sort());
  });

  test('has codes that RFC 5321 and RFC 3463 allow, alike in their first digit', () => {
    for (const { code, enhanced } of Object.values(REFUSALS)) {
      expect(code).toBeGreaterThanOrEqual(400);
      expect(code).toBeLessThan(600);
      expect(enhanced).toMatch(/^[45]\.[1-7]\.\d{1,2}$/);
      expect(String(code)[0]).toBe(enhanced[0]);
    }
  });

  test('says in ASCII and in one line why', () => {
    const answer = refusalOf(apiError('domain_not_verified', `bücher.test\r\n250 OK ${'x'.repeat(900)}`));
    expect(answer!.text).toMatch(/^5\.7\.1 b\?cher\.test\?\?250 OK x+$/);
    expect(answer!.text.length).toBeLessThanOrEqual(480);
  });
});
