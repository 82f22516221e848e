import { describe, expect, test } from 'vitest';
import { letterOf } from '../portal/src/pages/recipient/letter.ts';
import { conclusionOf, healthOf, judge } from '../portal/src/pages/recipient/verdict.ts';
import type { Message, Suppression } from '../shared/api/portal-types.ts';
import { createFormat } from '../shared/format/format.ts';

const message = (fields: Partial<Message>): Message =>
  ({
    id: '1',
    from: 'Billing <billing@example.com>',
    to: 'Ana Ruiz <ana@example.net>',
    subject: 'Invoice 7',
    status: 'sent',
    created_at: '2026-11-20T10:00:00.000Z',
    sent_at: '2026-11-20T10:00:01.000Z',
    last_reply: null,
    bounce: null,
    ...fields,
  }) as Message;
const bounced = (reason: string, id = '1') =>
  message({ id, status: 'bounced', bounce: { type: 'hard', reason, source: 'reply' } as never });
const entry = (fields: Partial<Suppression> = {}) =>
  ({
    address: 'ana@example.net',
    source: 'bounce',
    message_id: null,
    created_at: '2026-11-19T10:00:00.000Z',
    ...fields,
  }) as Suppression;

describe('the verdict about an address', () => {
  test('is by the newest message', () => {
    expect(judge([], null)).toEqual({ kind: 'nothing' });
    expect(judge([message({}), bounced('spam')], null).kind).toBe('delivered');
    expect(judge([message({ status: 'deferred' })], null).kind).toBe('waiting');
    expect(judge([message({ status: 'complained' })], null).kind).toBe('complained');
  });

  test('is the suppression while there is one, with the message that made it', () => {
    const messages = [message({}), bounced('mailbox_unknown', '2')];
    expect(judge(messages, entry({ message_id: '2' }))).toMatchObject({
      kind: 'suppressed',
      message: { id: '2' },
    });
    expect(judge([], entry())).toMatchObject({ kind: 'suppressed', message: null });
  });

  test.each([
    ['mailbox_unknown', 'address'],
    ['mailbox_full', 'full'],
    ['spam', 'filter'],
    ['host_unreachable', 'other'],
    ['of_a_newer_server', 'other'],
  ])('of %s is about %s', (reason, cause) => {
    expect(judge([bounced(reason)], null)).toMatchObject({ kind: 'bounced', cause });
  });
});

test('the health of a domain counts what ended and what waits', () => {
  const all = [
    message({}),
    message({ status: 'complained' }),
    message({ status: 'deferred' }),
    bounced('spam'),
  ];
  expect(healthOf(all)).toEqual({ sent: 2, waiting: 1, bounced: 1 });
});

test('a domain tells where the cause is only by enough messages, of mail that did not arrive', () => {
  const failed = judge([bounced('system_error')], null);
  expect(conclusionOf({ sent: 50, waiting: 0, bounced: 1 }, failed)).toBe('mailbox');
  expect(conclusionOf({ sent: 2, waiting: 9, bounced: 9 }, failed)).toBe('domain');
  expect(conclusionOf({ sent: 20, waiting: 5, bounced: 5 }, failed)).toBeNull();
  expect(conclusionOf({ sent: 0, waiting: 0, bounced: 3 }, failed)).toBeNull();
  expect(conclusionOf({ sent: 50, waiting: 0, bounced: 1 }, judge([message({})], null))).toBeNull();
});

describe('the letter', () => {
  const cases = [
    judge([], null),
    judge([message({ last_reply: { code: 250, mx: 'mx.example.net' } as never })], null),
    ...['spam', 'mailbox_full', 'mailbox_unknown', 'suppressed', 'unheard_of'].map((reason) =>
      judge([bounced(reason)], null),
    ),
    ...(['scheduled', 'deferred', 'cancelled', 'complained'] as const).map((status) =>
      judge([message({ status })], null),
    ),
    ...(['bounce', 'complaint', 'manual'] as const).map((source) => judge([message({})], entry({ source }))),
  ];
  test.each(['es', 'en'] as const)('is whole in %s, whatever happened', (language) => {
    const format = createFormat(language, 'America/Mexico_City');
    for (const verdict of cases) {
      const letter = letterOf({ address: 'ana@example.net', verdict, language, format });
      expect(letter).toContain('ana@example.net');
      expect(letter).not.toMatch(/undefined|null|\[object|_/);
      expect(letter.split('\n\n').length).toBeGreaterThan(2);
      if (verdict.kind !== 'nothing') expect(letter).toContain('Ana Ruiz');
    }
  });

  test('shows no control of a stranger', () => {
    const verdict = judge([message({ subject: 'exe.\u202egpj', to: '"A\u202eb" <ana@example.net>' })], null);
    const format = createFormat('en', 'UTC');
    expect(letterOf({ address: 'ana@example.net', verdict, language: 'en', format })).not.toContain('\u202e');
  });
});
