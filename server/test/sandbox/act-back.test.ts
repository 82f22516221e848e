import { parseDeliveryManifest } from '@acuse/evidence/delivery';
import { parseDeliveryOpenings } from '@acuse/evidence/delivery-openings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyReturnedMail } from '../../src/delivery/return-path/return-path.ts';
import { createReturnPathListener } from '../../src/delivery/return-path/return-path-listener.ts';
import type { AskedRow } from '../../src/messages/acknowledgement-store.ts';
import type { IncomingMail } from '../../src/platform/smtp/smtp-types.ts';
import { createActBack } from '../../src/sandbox/act-back.ts';
import type { Answer } from '../../src/sandbox/behaviour.ts';
import { receiptReport } from '../../src/sandbox/foreign-reports.ts';
import { createReplyBack } from '../../src/sandbox/reply-back.ts';
import { sandboxKeys } from '../../src/sandbox/reply-key.ts';
import { recordAnswer } from '../../src/surfaces/acknowledge/answer.ts';
import { ACKNOWLEDGE_WORDS } from '../../src/surfaces/acknowledge/words.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** The recipients of the sandbox who answer, on messages that asked and on others. */

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const ASKING = { certified: true, acknowledgement: 'request' } as const;

async function mailOf(to: string, fields: object): Promise<IncomingMail & { readonly id: string }> {
  const { status, body } = await service.send({ to, ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  const [row] = await service.db.query<{ path: string }>(
    'select reverse_path as path from messages where message_id = $1',
    [body.id],
  );
  const { raw } = await service.call('GET', `/v1/messages/${body.id}/raw`);
  const peer = { clientAddress: '127.0.0.1', clientName: 'client.test', tls: null };
  return { ...peer, id: body.id, reversePath: row!.path, forwardPaths: [to], raw };
}

const sent = (id: string) =>
  service.db.execute(
    `update messages set status = 'sent', sent_at = now(), attempts = 1, next_attempt_at = null
      where message_id = $1`,
    [id],
  );

/** `before`: what happens in each wait. */
function recipients(before: () => Promise<void>, reply: (asked: AskedRow) => Promise<void> = async () => {}) {
  const { db, clock, log, returnPathSecret } = service.services;
  return createActBack({
    ...{ db, clock, log, returnPathSecret, reply },
    record: (asked, made) => recordAnswer({ db, clock, log, wakeWebhooks() {} }, asked, made),
    sleep: before,
  });
}

/** How often it waited. */
async function act(kind: Answer, mail: IncomingMail, before = async (_: number) => {}) {
  let waits = 0;
  await recipients(() => before(++waits)).react(kind, mail, new AbortController().signal);
  return waits;
}

async function outcomesOf(id: string) {
  const rows = await service.db.query<{ manifest: Buffer; openings: Buffer }>(
    `select manifest, openings from leaf_contents where message_id = $1 and kind = 'delivery' order by ordinal`,
    [id],
  );
  return rows.map(({ manifest, openings }) => ({
    kind: parseDeliveryManifest(manifest).kind,
    source: parseDeliveryManifest(manifest).source,
    act: parseDeliveryOpenings(openings).facts.value.acknowledgement,
  }));
}

test.each([
  ['acknowledged', ACKNOWLEDGE_WORDS.en.sentence, null],
  ['refused', ACKNOWLEDGE_WORDS.en.refusalSentence, 'A test'],
] as const)('%s: once it is recorded as sent, and once only', async (kind, sentence, reason) => {
  const mail = await mailOf('Acts@sandbox.test', { ...ASKING, locale: 'en' });
  const waits = await act(kind, mail, async (wait) => void (wait === 3 && (await sent(mail.id))));
  expect(waits).toBe(3);
  await act(kind === 'refused' ? 'acknowledged' : 'refused', mail);
  expect(await outcomesOf(mail.id)).toMatchObject([
    { kind, source: 'recipient_page', act: { sentence, reason, language: 'en', name: 'Sandbox' } },
  ]);
});

test('a message that did not ask, another recipient, and a path that nobody signed: nothing', async () => {
  const plain = await mailOf('acknowledges@sandbox.test', {});
  const certified = await mailOf('acknowledges@sandbox.test', { certified: true });
  const asking = await mailOf('ana@sandbox.test', ASKING);
  for (const { id } of [plain, certified, asking]) await sent(id);
  const asked = { ...asking, forwardPaths: ['acknowledges@sandbox.test'] };
  const forged = {
    ...asking,
    reversePath: asking.reversePath.replace(/.@/, (end) => (end === 'a@' ? 'b@' : 'a@')),
  };
  for (const mail of [plain, certified, asked, forged]) await act('acknowledged', mail);
  for (const { id } of [plain, certified, asking]) expect(await outcomesOf(id)).toEqual([]);
});

test('what is recorded as sent too late, or was left by a stop, a look finds and answers once', async () => {
  const late = await mailOf('acknowledges@sandbox.test', ASKING);
  expect(await act('acknowledged', late)).toBe(8);
  expect(await outcomesOf(late.id)).toEqual([]);
  const names = ['Refuses+1@sandbox.test', 'replies@sandbox.test', 'ana@sandbox.test', 'refuses@else.test'];
  const others = await Promise.all(names.map((to) => mailOf(to, ASKING)));
  for (const { id } of [late, ...others]) await sent(id);
  const replied: string[] = [];
  const all = recipients(
    async () => {},
    async ({ messageId }) => void replied.push(messageId),
  );
  const { signal } = new AbortController();
  // Not yet: the reaction to the mail may be under way.
  expect(await all.look(signal)).toBe(0);
  for (const { id } of [late, ...others])
    await service.db.execute(
      `update messages set sent_at = sent_at - interval '1 minute' where message_id = $1`,
      [id],
    );
  expect(await all.look(signal)).toBe(3);
  const kinds = [];
  for (const { id } of [late, ...others]) kinds.push((await outcomesOf(id)).map(({ kind }) => kind));
  expect(kinds).toEqual([['acknowledged'], ['refused'], [], [], []]);
  expect(replied).toEqual([others[1]!.id]);
  // Only what is open still: the reply was not delivered here.
  expect(await all.look(signal)).toBe(1);
});

test('replies@ acknowledges by mail, which the key of the sandbox signed', async () => {
  const { db, clock, log, threads, returnPathSecret } = service.services;
  const listener = createReturnPathListener({
    ...{ db, clock, log, threads, resolver: null, replyKeys: sandboxKeys(returnPathSecret) },
    returnPathSecrets: [returnPathSecret],
    ...{ hostname: 'mail.acuse.test', hosts: ['mail.acuse.test'], host: '127.0.0.1', port: 0 },
  });
  const port = await listener.start();
  try {
    const returnPath = { host: 'bounce.sandbox.test', address: '127.0.0.1', port };
    const reply = createReplyBack({ clock, log, returnPath, returnPathSecret });
    const mail = await mailOf('Replies+7@sandbox.test', ASKING);
    await sent(mail.id);
    const { signal } = new AbortController();
    const all = recipients(
      async () => {},
      (asked) => reply(asked, signal),
    );
    await all.react('replied', mail, signal);
    expect(await outcomesOf(mail.id)).toMatchObject([
      {
        ...{ kind: 'acknowledged', source: 'reported_by_mail' },
        act: { dkim: { domain: 'sandbox.test', selector: 'sandbox', algorithm: 'ed25519-sha256' } },
      },
    ]);
    await all.react('replied', mail, signal);
    expect(await outcomesOf(mail.id)).toHaveLength(1);
  } finally {
    await listener.stop();
  }
});

test.each([
  ['asked', ASKING, ['displayed']],
  ['did not ask', { certified: true }, []],
] as const)('a read receipt of a message that %s', async (_, fields, outcomes) => {
  const to = 'reads+1@sandbox.test';
  const mail = await mailOf(to, fields);
  await sent(mail.id);
  const { db, clock, threads } = service.services;
  const report = receiptReport({ ...mail, forwardPath: to, at: clock.now(), id: mail.id });
  const back = { ...mail, raw: report, reversePath: '', forwardPath: mail.reversePath };
  const outcome = await applyReturnedMail(
    { db, clock, threads, resolver: null, hostname: 'mail.acuse.test' },
    mail.id,
    back,
  );
  expect(outcome).toBe('kept');
  expect((await outcomesOf(mail.id)).map(({ kind }) => kind)).toEqual(outcomes);
  const kept = await service.db.query('select action from delivery_reports where message_id = $1', [mail.id]);
  expect(kept).toEqual([{ action: 'receipt' }]);
});
