import { describe, expect, test } from 'vitest';
import { HELD_UNTIL_BEFORE_EXPIRY_MS } from '../../src/delivery/claim/claim-store.ts';
import type { QueuedFacts, QueuePlace } from '../../src/delivery/operate/queue-store.ts';
import { type WaitingFacts, waitingReasons, whyWaiting } from '../../src/delivery/operate/why-waiting.ts';

const NOW = new Date('2026-01-02T12:00:00.000Z');
const MINUTE_MS = 60_000;
const at = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE_MS);
const PLACE: QueuePlace = {
  destination: 'example.com',
  due_at: at(-1),
  leased_until: null,
  expires_at: at(47 * 60),
  attempt: 0,
  held_by: null,
};
const PAUSE = { reason: 'ticket 4711', paused_by: 'ana@desk', paused_at: at(-60) };
const REPLY = { code: 451, enhanced: '4.7.1', text: '4.7.1 Greylisted', mx: 'mx.example.com' };

type FactsOf = [
  queue: Partial<QueuePlace> | null,
  message?: Partial<QueuedFacts>,
  more?: Partial<WaitingFacts>,
];

function factsOf(...[queue, message = {}, more = {}]: FactsOf): WaitingFacts {
  return {
    message: {
      message_id: 'm',
      tenant_id: 't',
      tenant_name: 'Example SA',
      source_pool: null,
      status: 'queued',
      recipient: 'ana@example.com',
      created_at: at(-60),
      send_at: null,
      since: at(-60),
      attempts: 0,
      last_reply: null,
      bounce_reason: null,
      sandbox: false,
      unknown_since: null,
      queue: queue === null ? null : { ...PLACE, ...queue },
      ...message,
    },
    destinationPause: null,
    tenantPause: null,
    cap: null,
    windows: [],
    dueBefore: 0,
    ...more,
  };
}

const why = (...given: FactsOf) => whyWaiting(factsOf(...given), NOW).join('\n');
const toldAccount = (...given: FactsOf) => waitingReasons(factsOf(...given), NOW, 'account');

describe('why a message is still here', () => {
  test('it waits for its next attempt', () => {
    const text = why({ due_at: at(12.5) }, { status: 'deferred', attempts: 3, last_reply: REPLY });
    expect(text).toBe(
      [
        'It waits for its next attempt at 2026-01-02T12:12:30.000Z, in 12 min 30 s.',
        'Last reply after 3 attempts: 451 4.7.1 Greylisted (mx.example.com).',
        'It expires at 2026-01-04T11:00:00.000Z, in 47 h; then it bounces as expired.',
      ].join('\n'),
    );
  });

  test('it is scheduled, or should have been queued by now', () => {
    const scheduled = (minutes: number) => why(null, { status: 'scheduled', send_at: at(minutes) });
    expect(scheduled(90)).toBe('It is scheduled: it is queued at 2026-01-02T13:30:00.000Z, in 1 h 30 min.');
    expect(scheduled(-2)).toBe(
      'It has been due on the schedule since 2026-01-02T11:58:00.000Z, for 2 min. Is a process with the role delivery running on this database?',
    );
  });

  test('a worker has it', () => {
    expect(why({ due_at: at(2), leased_until: at(2), attempt: 1 })).toMatch(
      /^A delivery process is handling it now \(attempt 1\)\. Its lease ends at 2026-01-02T12:02:00\.000Z/,
    );
  });

  test('somebody paused it: who, when, why, and how to go on', () => {
    const text = why({ due_at: PLACE.expires_at }, {}, { destinationPause: PAUSE, tenantPause: PAUSE });
    expect(text).toContain(
      'The account Example SA was paused at 2026-01-02T11:00:00.000Z by ana@desk: ticket 4711. To resume: acuse queue resume --tenant t',
    );
    expect(text).toContain('acuse queue resume --destination example.com');
    expect(text).not.toContain('next attempt');
  });

  test('its destination is full, or closed, or others come before it', () => {
    const text = why(
      {},
      {},
      {
        windows: [
          { source_pool: 'default', places: 5, in_use: 5, waiting: 10, closed_until: null },
          { source_pool: 'default', places: 2, in_use: 1, waiting: 3, closed_until: null },
          { source_pool: 'default', places: 1, in_use: 0, waiting: 0, closed_until: at(1) },
        ],
        dueBefore: 700,
      },
    );
    expect(text).toContain('It has been due since 2026-01-02T11:59:00.000Z, for 1 min.');
    expect(text).toContain('may have 7 SMTP sessions at once; 6 are in use and 13 messages wait for one');
    expect(text).toContain('repeatedly busy or unreachable; paused until 2026-01-02T12:01:00.000Z');
    expect(text).toContain('700 messages of its account are due before it.');
    expect(text).not.toContain('role delivery');
  });

  test('nobody looks', () => {
    expect(why({})).toContain('Is a process with the role delivery running on this database?');
    expect(why({ due_at: new Date(NOW.getTime() - 5_000) })).not.toContain('role delivery');
  });

  test('its time is over', () => {
    expect(why({ expires_at: at(-5) })).toContain('Expired at 2026-01-02T11:55:00.000Z');
  });

  test.each([
    [
      { status: 'sent', last_reply: REPLY },
      /was delivered at .*: 451 4\.7\.1 Greylisted \(mx\.example\.com\)\./,
    ],
    [
      { status: 'bounced', last_reply: { ...REPLY, code: null, mx: null } },
      /It bounced at .*: 4\.7\.1 Greylisted\./,
    ],
    [{ status: 'complained' }, /the recipient complained at/],
    [{ status: 'queued' }, /which should never happen/],
  ] as const)('it is not here any more: %j', (message, text) => {
    expect(why(null, message)).toMatch(text);
  });
});

describe('what the account is told of it', () => {
  test('codes, with the time at which each ends by itself', () => {
    const reasons = toldAccount({ due_at: at(12.5) }, { status: 'deferred', attempts: 3, last_reply: REPLY });
    expect(reasons.map(({ code, until }) => [code, until])).toEqual([
      ['next_attempt', at(12.5)],
      ['last_reply', null],
      ['expires', PLACE.expires_at],
    ]);
    expect(toldAccount(null, { status: 'scheduled', send_at: at(90) })).toMatchObject([
      { code: 'scheduled', until: at(90) },
    ]);
    expect(toldAccount({ due_at: at(2), leased_until: at(2), attempt: 1 })[0]).toEqual({
      code: 'being_tried',
      until: null,
      text: 'It is being handed over right now (attempt 1).',
    });
    expect(toldAccount({})[1]).toMatchObject({ code: 'nothing_known', until: null });
    expect(toldAccount({ expires_at: at(-5) }).at(-1)).toMatchObject({ code: 'expired' });
  });

  test('nothing of what the operator wrote for themselves, of others, of commands and processes', () => {
    const windows = [
      { source_pool: 'default', places: 5, in_use: 5, waiting: 1_234, closed_until: null },
      { source_pool: 'default', places: 1, in_use: 0, waiting: 0, closed_until: at(1) },
    ];
    const told = [
      toldAccount({ due_at: PLACE.expires_at }, {}, { destinationPause: PAUSE, tenantPause: PAUSE }),
      toldAccount({}, {}, { windows, dueBefore: 700 }),
      toldAccount({ due_at: at(-60) }),
      toldAccount({ due_at: at(2), leased_until: at(2) }),
      toldAccount(null, { status: 'scheduled', send_at: at(-60) }),
      toldAccount(
        { due_at: new Date(at(47 * 60).getTime() - HELD_UNTIL_BEFORE_EXPIRY_MS) },
        { sandbox: true },
      ),
      toldAccount({ due_at: new Date(at(47 * 60).getTime() - HELD_UNTIL_BEFORE_EXPIRY_MS) }),
    ].flat();
    expect(new Set(told.map(({ code }) => code))).toEqual(
      new Set([
        ...['account_paused', 'destination_paused', 'due', 'destination_closed', 'destination_busy'],
        ...['behind_others', 'nothing_known', 'being_tried', 'scheduled', 'held_for_mode', 'next_attempt'],
        ...['not_tried', 'expires'],
      ]),
    );
    const text = told.map((each) => each.text).join('\n');
    expect(text).not.toMatch(/4711|ana@desk|1234|Example SA|acuse |ACUSE_|role delivery|lease/);
    expect(text).toContain('Mail to example.com was paused by the operator at 2026-01-02T11:00:00.000Z');
  });

  test.each(['sent', 'bounced', 'cancelled', 'complained'] as const)('nothing once it is %s', (status) => {
    expect(toldAccount(null, { status, last_reply: REPLY })).toEqual([]);
  });
});
