import { randomBytes } from 'node:crypto';
import type { HeaderText } from '@acuse/mail/header-text';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { composeJob, readBatchJob, readJsonJob, readRfc822Job } from '../../src/messages/large-jobs.ts';
import { type MessageInput, makeMessage } from '../../src/messages/make-message.ts';
import { readRfc822, rfc822Message } from '../../src/messages/rfc822.ts';
import { type GivenContent, readJsonSubmission, submissionDigest } from '../../src/messages/submission.ts';
import { newKey, startTestService, type TestService } from '../support/service.ts';

/**
 * Large bodies are read, hashed and composed by threads; what comes out is what this thread would make of
 * them.
 */
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const MIB = 1024 * 1024;
const attachment = (bytes: number, filename = 'a.bin') => ({
  filename,
  content: randomBytes(bytes).toString('base64'),
});
const fields = (extra: object = {}) => ({
  from: 'Billing <billing@sandbox.test>',
  to: 'Ana <ana@sandbox.test>',
  subject: 'Hello',
  text: 'Hello Ána',
  ...extra,
});
const mail = (bytes: number) =>
  Buffer.from(
    `From: billing@sandbox.test\r\nTo: ana@sandbox.test\r\nSubject: s\r\nX-Own: 1\r\n\r\n${'A line of text, and on.\r\n'.repeat(bytes / 25)}`,
  );

/** Jobs of each kind that ended since the last look. */
let before: Record<string, number> = {};
async function newJobs(): Promise<Record<string, number>> {
  const text = await service.services.metrics.text();
  const now: Record<string, number> = {};
  for (const [, job, count] of text.matchAll(
    /acuse_thread_jobs_total\{job="([^"]+)",outcome="done"\} (\d+)/g,
  ))
    now[job!] = Number(count);
  const fresh = Object.entries(now).map(([job, count]) => [job, count - (before[job] ?? 0)] as const);
  before = now;
  return Object.fromEntries(fresh.filter(([, count]) => count > 0));
}

describe('a large send', () => {
  test('as JSON is read and composed by threads', async () => {
    await newJobs();
    const given = attachment(MIB);
    const sent = await service.send({ attachments: [given] });
    expect(sent.status, JSON.stringify(sent.body)).toBe(201);
    expect(await newJobs()).toEqual({ 'read-json': 1, compose: 1 });
    const { raw } = await service.call('GET', `/v1/messages/${sent.body.id}/raw`);
    const text = raw.toString('latin1').replaceAll('\r\n', '');
    expect(text).toContain(given.content);
    expect(sent.body.certified).toBe(true);
  });

  test('as message/rfc822 is read and composed by threads', async () => {
    await newJobs();
    const headers = { 'content-type': 'message/rfc822', 'idempotency-key': newKey() };
    const body = mail(MIB);
    const sent = await service.call('POST', '/v1/messages', { body, headers });
    expect(sent.status, JSON.stringify(sent.body)).toBe(201);
    expect(await newJobs()).toEqual({ 'read-rfc822': 1, compose: 1 });
    const again = await service.call('POST', '/v1/messages', { body: mail(MIB), headers });
    expect([again.status, again.body.id]).toEqual([200, sent.body.id]);
    const [kept] = await service.db.query<{ submission: Buffer }>(
      'select submission from message_contents where message_id = $1',
      [sent.body.id],
    );
    expect(kept!.submission.equals(body)).toBe(true);
  });

  test('that is small takes no thread', async () => {
    await newJobs();
    expect((await service.send({ attachments: [attachment(10_000)] })).status).toBe(201);
    const headers = { 'content-type': 'message/rfc822', 'idempotency-key': newKey() };
    expect((await service.call('POST', '/v1/messages', { body: mail(10_000), headers })).status).toBe(201);
    const messages = [{ ...fields(), idempotency_key: newKey() }];
    expect((await service.call('POST', '/v1/messages/batch', { body: { messages } })).body.created).toBe(1);
    expect(await newJobs()).toEqual({});
  });

  test('of a template that renders to much is composed by a thread', async () => {
    const { body: template } = await service.call('POST', '/v1/templates', {
      body: { name: newKey(), subject: 's', text: 'x'.repeat(400_000) },
    });
    await newJobs();
    const sent = await service.send({ template_id: template.id, subject: undefined, text: undefined });
    expect(sent.status, JSON.stringify(sent.body)).toBe(201);
    expect(await newJobs()).toMatchObject({ compose: 1 });
    const { raw } = await service.call('GET', `/v1/messages/${sent.body.id}/raw`);
    expect(raw.length).toBeGreaterThan(400_000);
  });

  test('is refused as a small one is', async () => {
    const attachments = [attachment(MIB)];
    const refusal = async (sending: Promise<{ status: number; body: { error: object } }>) => {
      const { status, body } = await sending;
      return { status, ...body.error };
    };
    expect(await refusal(service.send({ attachments, from: 'a@elsewhere.test' }))).toMatchObject({
      status: 422,
      code: 'domain_not_verified',
    });
    expect(await refusal(service.send({ attachments, to: 'nobody' }))).toMatchObject({
      status: 400,
      code: 'invalid_address',
    });
    expect(await refusal(service.send({ attachments, colour: 1 }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('colour'),
    });
    expect(await refusal(service.send({ attachments: [attachment(20 * MIB)] }))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
    const headers = { 'idempotency-key': newKey() };
    const send = (body: string) => service.call('POST', '/v1/messages', { body, headers });
    const long = 'x'.repeat(MIB);
    expect(await refusal(send(`{"from":"a@b.test","text":"${long}","text":"b"}`))).toMatchObject({
      status: 400,
      code: 'invalid_body',
      message: expect.stringContaining('"text" is given twice'),
    });
    expect(await refusal(send(`{"text":"${long}`))).toMatchObject({ status: 400, code: 'invalid_body' });
    expect(await refusal(send(`[${'[],'.repeat(MIB)}[]]`))).toMatchObject({
      status: 400,
      code: 'invalid_body',
    });
  });

  test('is a replay of the same content, and of no other', async () => {
    const headers = { 'idempotency-key': newKey() };
    const attachments = [attachment(MIB)];
    const first = await service.send({ attachments }, { headers });
    expect(first.status).toBe(201);
    const again = await service.send({ attachments }, { headers });
    expect([again.status, again.body.id]).toEqual([200, first.body.id]);
    const other = await service.send({ attachments: [attachment(MIB)] }, { headers });
    expect(other.body.error.code).toBe('idempotency_key_reused');
    // The same as an item of a batch, which a thread reads too, and beside a small one.
    const same = { ...fields(), from: 'billing@sandbox.test', to: 'ana@sandbox.test', text: 'Hello Ana' };
    const messages = [
      { ...same, attachments, idempotency_key: headers['idempotency-key'] },
      { ...same, idempotency_key: newKey() },
    ];
    const { body } = await service.call('POST', '/v1/messages/batch', { body: { messages } });
    expect(body.results[0]).toMatchObject({ status: 'replayed', message: { id: first.body.id } });
    expect(body.results[1].status).toBe('created');
  });
});

describe('a large batch', () => {
  test('is read by a thread; each item has its own outcome', async () => {
    await newJobs();
    const messages = [
      { ...fields({ attachments: [attachment(MIB)] }), idempotency_key: newKey() },
      { ...fields({ to: 'nobody' }), idempotency_key: newKey() },
      fields(),
      { ...fields(), idempotency_key: newKey() },
      7,
      { ...fields({ from: 'a@elsewhere.test' }), idempotency_key: newKey() },
    ];
    const { status, body } = await service.call('POST', '/v1/messages/batch', { body: { messages } });
    expect(status).toBe(200);
    const outcomes = body.results.map(
      (it: { status: string; error?: { code: string } }) => it.error?.code ?? it.status,
    );
    expect(outcomes).toEqual([
      'created',
      'invalid_address',
      'missing_idempotency_key',
      'created',
      'invalid_body',
      'domain_not_verified',
    ]);
    expect(await newJobs()).toEqual({ 'read-batch': 1, compose: 1 });
  });

  test('is refused as a whole as a small one is', async () => {
    const call = async (body: string) =>
      (await service.call('POST', '/v1/messages/batch', { body })).body.error?.code;
    const space = ' '.repeat(MIB);
    expect(await call(`{"messages":[]${space}}`)).toBe('empty_batch');
    expect(await call(`{"messages":[${'0,'.repeat(100)}0]${space}}`)).toBe('batch_too_large');
    expect(await call(`{"mesages":[]${space}}`)).toBe('invalid_body');
    expect(await call(`{"messages":[]${space}`)).toBe('invalid_body');
  });
});

describe('what a thread makes', () => {
  const input = (submission: MessageInput['submission'], bytes: Uint8Array): MessageInput => ({
    submission,
    content: submission.content as GivenContent,
    messageId: '0198f3a0-0000-7000-8000-000000000001',
    sendAt: null,
    createdAt: new Date('2026-01-02T03:04:05Z'),
    logOrigin: 'log.test/log',
    feedback: { sender: '0123456789abcde' as HeaderText, templateId: null, host: null },
    evidence: {
      tenantId: '0198f3a0-0000-7000-8000-000000000002',
      submissionBytes: bytes,
      mailFrom: 'r@bounce.test',
      dkim: [],
      secret: Buffer.alloc(32, 7),
    },
  });

  test('of JSON is, byte for byte, what is made here; so is its digest', async () => {
    const html = '<p>ñ 漢字</p>';
    const given = fields({ html, attachments: [attachment(50_000), attachment(7, 'b.txt')], tags: ['x'] });
    const body = Buffer.from(JSON.stringify(given));
    const here = readJsonSubmission(given);
    const { read, bytes } = await readJsonJob.run(body);
    expect([...bytes]).toEqual([...body]);
    expect(read.attachments).toEqual([]);
    expect(submissionDigest(read)).toEqual(submissionDigest(here));
    const made = await composeJob.run({ ...input(read, bytes), content: null });
    const expected = makeMessage(input(here, body));
    expect(Buffer.from(made.raw).equals(expected.raw)).toBe(true);
    expect(made.draft).toEqual(expected.draft);
  });

  test('of message/rfc822 and of batch items too', async () => {
    const raw = mail(30_000);
    const here = readRfc822(raw).submissionForAll();
    const { read, bytes } = await readRfc822Job.run(raw);
    const there = rfc822Message(read).submissionForAll();
    expect(submissionDigest(there)).toEqual(submissionDigest(here));
    const made = await composeJob.run({ ...input(there, bytes), content: null });
    expect(Buffer.from(made.raw).equals(makeMessage(input(here, raw)).raw)).toBe(true);
    const item = { ...fields({ attachments: [attachment(30_000)] }), idempotency_key: 'k' };
    const [read1] = await readBatchJob.run(Buffer.from(JSON.stringify({ messages: [item] })));
    if (read1!.kind !== 'read') throw new Error('it was refused');
    const { idempotency_key: _, ...own } = item;
    expect(submissionDigest(read1!.submission)).toEqual(submissionDigest(readJsonSubmission(own)));
  });
});
