import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BOUNCE_REASONS, type BounceReason, type BounceType } from '@acuse/mail/reply/reasons';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bounceOf } from '../../src/messages/bounce.ts';
import { updateMessages } from '../../src/messages/state-store.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** That a message says why it bounced, and can be found by it. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.stop());

async function bounced(bounceType: BounceType, bounceReason: BounceReason | null, code: number | null) {
  return ended('bounced', bounceType, bounceReason, code);
}

/** Waits: sends go to nobody in this service. */
async function deferred(reason: BounceReason | null, code: number | null) {
  return ended('deferred', null, reason, code);
}

async function ended(
  status: 'bounced' | 'deferred',
  bounceType: BounceType | null,
  bounceReason: BounceReason | null,
  code: number | null,
) {
  const { body } = await service.send({ to: `${bounceType ?? status}@sandbox.test` });
  const nextAttemptAt = status === 'deferred' ? new Date(Date.now() + 3_600_000) : null;
  await service.db.transact((tx) =>
    updateMessages(tx, [
      {
        ...{ tenantId: service.account.tenantId, messageId: body.id, status, at: new Date() },
        ...{ nextAttemptAt, lastReply: { code, enhanced: null, text: 'no', mx: null } },
        ...{ bounceType, bounceReason },
      },
    ]),
  );
  if (status === 'bounced')
    await service.db.execute('delete from delivery_queue where message_id = $1', [body.id]);
  return body.id as string;
}

test('a message, the list and its file', async () => {
  const full = await bounced('soft', 'mailbox_full', 552);
  const listed = await bounced('policy', 'blocklisted', 554);
  const old = await bounced('hard', null, 550);
  const read = async (id: string) => (await service.call('GET', `/v1/messages/${id}`)).body.bounce;
  expect(await read(full)).toEqual({ type: 'soft', reason: 'mailbox_full', source: 'reply' });
  expect(await read(old)).toEqual({ type: 'hard', reason: null, source: 'reply' });
  expect((await service.send()).body.bounce).toBeNull();

  const found = async (query: string) =>
    (await service.call('GET', `/v1/messages?${query}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await found('bounce_reason=mailbox_full')).toEqual([full]);
  expect(await found('bounce_reason=mailbox_full,blocklisted')).toEqual([listed, full]);
  expect(await found('bounce_reason=mailbox_full&bounce_type=hard')).toEqual([]);
  expect((await service.call('GET', '/v1/messages?bounce_reason=full')).status).toBe(400);

  const { raw } = await service.call('GET', '/v1/messages/export?bounce_reason=blocklisted');
  const [head, row] = raw.toString().trim().split('\r\n');
  expect(head).toMatch(/,bounce_type,bounce_reason,bounce_source,acknowledgement,deferral_reason$/);
  expect(row).toMatch(/,policy,blocklisted,reply,,$/);
});

test('a message that waits says why, apart from those that bounced', async () => {
  const busy = await deferred('greylisted', 451);
  const unreached = await deferred('host_unreachable', null);
  const old = await deferred(null, 451);
  const ended = await bounced('expired', 'greylisted', 451);
  const read = async (id: string) => (await service.call('GET', `/v1/messages/${id}`)).body;
  expect(await read(busy)).toMatchObject({
    bounce: null,
    deferral: { reason: 'greylisted', source: 'reply' },
  });
  expect((await read(unreached)).deferral).toEqual({ reason: 'host_unreachable', source: 'acuse' });
  expect((await read(old)).deferral).toEqual({ reason: null, source: 'reply' });
  expect(await read(ended)).toMatchObject({ deferral: null, bounce: { reason: 'greylisted' } });

  const found = async (query: string) =>
    (await service.call('GET', `/v1/messages?${query}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await found('reason=greylisted')).toEqual([ended, busy]);
  expect(await found('reason=greylisted,host_unreachable&status=deferred')).toEqual([unreached, busy]);
  expect(await found('reason=greylisted&status=sent')).toEqual([]);
  expect(await found('bounce_reason=greylisted')).toEqual([ended]);
  expect(await found('bounce_reason=greylisted&to=deferred@sandbox.test')).toEqual([]);
  expect((await service.call('GET', '/v1/messages?reason=full')).status).toBe(400);

  const { raw } = await service.call('GET', '/v1/messages/export?reason=greylisted&status=deferred');
  const [, row] = raw.toString().trim().split('\r\n');
  expect(row).toMatch(/,,,,,greylisted$/);

  const { deferral_reasons: reasons } = (await service.call('GET', '/v1/rates')).body;
  const share = 1 / 3;
  expect(reasons).toEqual([
    { reason: 'greylisted', messages: 1, share },
    { reason: 'host_unreachable', messages: 1, share },
    { reason: null, messages: 1, share },
  ]);
});

describe('who says so', () => {
  test.each<[BounceType | null, boolean, number | null, string | null]>([
    ['hard', false, 550, 'reply'],
    ['hard', false, null, 'acuse'],
    ['suppressed', false, null, 'acuse'],
    // A server said why it waited; that it was long enough was said here.
    ['expired', false, 451, 'acuse'],
    ['hard', true, null, 'report'],
    ['soft', true, 552, 'report'],
    [null, false, 250, null],
  ])('%s, by mail: %s, reply %s: %s', (type, byMail, code, source) => {
    expect(bounceOf(type, 'unspecified', byMail, { code })?.source ?? null).toBe(source);
  });
});

test('the guide has a line for every reason', () => {
  const guide = readFileSync(
    fileURLToPath(new URL('../../../docs/guides/deliverability.md', import.meta.url)),
    'utf8',
  );
  const listed = [...guide.matchAll(/^\| `(\w+)` \| \S.* \| [A-Z].* \|$/gm)].map(([, reason]) => reason);
  expect(listed.sort()).toEqual([...BOUNCE_REASONS, 'reason'].sort());
});
