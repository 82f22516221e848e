import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCounters, countDeferralReasons as whyWaiting } from '../../src/accounts/rates/store.ts';
import { listSuppressions } from '../../src/accounts/suppressions/store.ts';
import { claimDue, countHeld, queueStates } from '../../src/delivery/claim/claim-store.ts';
import { findDueTenants } from '../../src/delivery/claim/due-store.ts';
import * as queue from '../../src/delivery/operate/queue-store.ts';
import { readLogState } from '../../src/evidence/metrics-store.ts';
import { readCover } from '../../src/evidence/renewal/renewal-store.ts';
import { readLogStatus } from '../../src/evidence/status-store.ts';
import {
  findMessage,
  listMessages,
  MESSAGES_SCANNED_MAX,
  type MessageFilter,
  SCATTERED_SCANNED_MAX,
  SEALS_SCANNED_MAX,
} from '../../src/messages/read-store.ts';
import { scheduleStates } from '../../src/messages/schedule-store.ts';
import { messagesByHash, messagesByKey, messagesByRecipient } from '../../src/messages/search/find-store.ts';
import { updateMessages } from '../../src/messages/state-store.ts';
import { countCertified, countDeletions, countDuePlain } from '../../src/operate/retention/status-store.ts';
import { type Db, openDb, type Tx } from '../../src/platform/database/db.ts';
import { readInOrder } from '../../src/platform/database/read-in-order.ts';
import { idRange } from '../../src/platform/http/created-query.ts';
import { FIRST_ID } from '../../src/platform/ids.ts';
import { listRecentEvents } from '../../src/surfaces/portal/changes-store.ts';
import { listDeliveries } from '../../src/webhooks/delivery-store.ts';
import { findDueEndpoints } from '../../src/webhooks/due-store.ts';
import { readMessageEvents } from '../../src/webhooks/event-list.ts';
import { EVENTS_SCANNED_MAX, findEventScanEnd, listStoredEvents } from '../../src/webhooks/event-store.ts';
import { readBacklog } from '../../src/webhooks/metrics-store.ts';
import { claimDeliveries } from '../../src/webhooks/queue-store.ts';
import { findQueuedScanEnd, listQueuedEvents } from '../../src/webhooks/queued-store.ts';
import { type Buffers, openBuffers } from '../support/buffers.ts';
import { BUSY, type Crowd, fillCrowd } from '../support/crowd.ts';

/**
 * Reads of the statements of an account with a hundred thousand messages: buffers, which do not depend on
 * the machine. Each is asked before the tables have statistics and after, with a plan for its own values and
 * with one for all values alike.
 */
const MESSAGES = 100_000;
const LIMIT = 101;
/** Of a page: each message with its constancia and whether its content was deleted. */
const PAGE_BUFFERS = 15 * LIMIT;
/** A look-up or two by an index. */
const FEW_BUFFERS = 30;
/**
 * Each row that is looked at may be in another block than the one before, and some blocks are the index's.
 */
const scan = (rows: number, each = 1) => Math.round(rows * each * 1.1) + PAGE_BUFFERS;

/** Of a hundred thousand: what a page may look at, in two tables at most. */
const ROWS_MAX = 2 * Math.max(EVENTS_SCANNED_MAX, MESSAGES_SCANNED_MAX);

let database: TestDatabase;
let buffers: Buffers;
let owner: pg.Client;
let crowd: Crowd;
let db: Db;

beforeAll(async () => {
  database = await testDatabase();
  buffers = await openBuffers(database.url);
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query('set role acuse_worker');
  crowd = await fillCrowd(owner, MESSAGES);
  await owner.query('reset role');
  db = openDb({ connectionString: database.url, poolSize: 2, applicationName: 'crowd' });
});
afterAll(async () => {
  await Promise.all([buffers.close(), owner.end(), db.close()]);
  await database.drop();
});

const EVERYTHING = { createdAfter: null, createdBefore: null };
const ALL: MessageFilter = {
  ...{
    statuses: null,
    certified: null,
    sealed: null,
    bounceTypes: null,
    bounceReasons: null,
    reasons: null,
    acknowledgements: null,
    from: null,
    to: null,
    subject: null,
  },
  ...{ tag: null, templateId: null, apiKeyId: null, metadataKey: null, metadataValue: null },
  ...EVERYTHING,
};
const to = (address: string) => ({ to: { address, domain: null } });
const domain = (name: string) => ({ address: null, domain: name });

const FILTERS: [Partial<MessageFilter>, number][] = [
  [{}, PAGE_BUFFERS],
  [{ statuses: ['sent'] }, PAGE_BUFFERS],
  [{ statuses: ['bounced'] }, PAGE_BUFFERS],
  [{ statuses: ['complained', 'cancelled', 'queued'] }, PAGE_BUFFERS],
  [{ statuses: ['deferred'] }, 2 * PAGE_BUFFERS],
  [{ statuses: ['scheduled'] }, FEW_BUFFERS],
  [{ bounceTypes: ['policy'] }, PAGE_BUFFERS],
  [{ bounceTypes: ['hard', 'soft'], certified: false }, PAGE_BUFFERS],
  [{ bounceTypes: ['expired', 'suppressed'] }, FEW_BUFFERS],
  [{ bounceReasons: ['spam'] }, scan(SCATTERED_SCANNED_MAX)],
  // Of bounces, and of what waits, where each is looked up.
  [{ reasons: ['spam'] }, scan(SCATTERED_SCANNED_MAX, 4)],
  [{ reasons: ['spam'], statuses: ['deferred'] }, scan(SCATTERED_SCANNED_MAX, 4)],
  [{ acknowledgements: ['acknowledged'] }, 2 * PAGE_BUFFERS],
  [{ acknowledgements: ['requested', 'refused'] }, scan(SCATTERED_SCANNED_MAX)],
  [{ templateId: '00000000-0000-7000-8000-000000000009' }, FEW_BUFFERS],
  [to(BUSY), PAGE_BUFFERS],
  [to('nobody@example.com'), FEW_BUFFERS],
  [{ ...to(BUSY), statuses: ['scheduled'] }, scan(SCATTERED_SCANNED_MAX)],
  [{ to: domain('nobody.example') }, scan(MESSAGES_SCANNED_MAX)],
  [{ from: domain('crowd.test') }, PAGE_BUFFERS],
  [{ from: { address: 'nobody@crowd.test', domain: null } }, scan(MESSAGES_SCANNED_MAX)],
  [{ certified: true }, 2 * PAGE_BUFFERS],
  [{ sealed: true }, 2 * PAGE_BUFFERS],
  [{ sealed: false }, 2 * PAGE_BUFFERS],
  [{ sealed: false, certified: true }, scan(SEALS_SCANNED_MAX, 2)],
  [{ tag: 'invoice' }, 2 * PAGE_BUFFERS],
  [{ tag: 'none' }, scan(MESSAGES_SCANNED_MAX)],
  [{ apiKeyId: '00000000-0000-7000-8000-000000000001' }, scan(MESSAGES_SCANNED_MAX)],
  [{ subject: 'march', metadataKey: 'order' }, 2 * PAGE_BUFFERS],
  [{ subject: 'none', certified: true, metadataKey: 'order' }, scan(MESSAGES_SCANNED_MAX)],
  [{ createdBefore: new Date('2026-01-01T00:00:01Z') }, scan(MESSAGES_SCANNED_MAX)],
];

const range = idRange(EVERYTHING, null);
/** As far as one look goes. */
const newest = () => ({
  from: crowd.id(MESSAGES - EVENTS_SCANNED_MAX),
  to: range.below,
  after: range.below,
});
const list = (filter: Partial<MessageFilter>) => (tx: Tx) =>
  listMessages(tx, crowd.tenantId, range, { ...ALL, ...filter }, LIMIT);

/** Reads of a request in its account. */
const REQUESTS: [string, number, (tx: Tx) => Promise<unknown>][] = [
  ['a message', FEW_BUFFERS, (tx) => findMessage(tx, crowd.tenantId, crowd.id(5))],
  [
    "a message's events",
    FEW_BUFFERS,
    (tx) => readMessageEvents(tx, crowd.tenantId, crowd.id(5), { after: null, limit: LIMIT }),
  ],
  ['search by key', FEW_BUFFERS, (tx) => messagesByKey(tx, crowd.tenantId, 'crowd-5')],
  ['search by recipient', 3 * FEW_BUFFERS, (tx) => messagesByRecipient(tx, crowd.tenantId, BUSY, 20)],
  ['search by hash', FEW_BUFFERS, (tx) => messagesByHash(tx, crowd.tenantId, Buffer.alloc(32, 1))],
  ['rates', FEW_BUFFERS, (tx) => readCounters(tx, crowd.tenantId, '2026-01-01', '2026-12-31')],
  ['why 100 messages wait', FEW_BUFFERS + 5 * 100, (tx) => whyWaiting(tx, crowd.tenantId, 100)],
  [
    'events by type',
    scan(EVENTS_SCANNED_MAX),
    (tx) => {
      const filter = { types: ['email.complained' as const], messageId: null, ...EVERYTHING };
      return listStoredEvents(tx, crowd.tenantId, 'desc', { span: newest(), filter, limit: LIMIT });
    },
  ],
  ...(['asc', 'desc'] as const).flatMap((order): typeof REQUESTS => {
    const whole = () => ({
      from: range.from,
      to: range.below,
      after: order === 'asc' ? range.from : range.below,
    });
    return [
      [
        `a page of what was queued, ${order}`,
        PAGE_BUFFERS,
        (tx) => {
          const found = { filter: EVERYTHING, looked: EVENTS_SCANNED_MAX, limit: LIMIT };
          return listQueuedEvents(tx, crowd.tenantId, order, { span: whole(), ...found });
        },
      ],
      [
        `how far that looked, ${order}`,
        scan(EVENTS_SCANNED_MAX),
        (tx) => findQueuedScanEnd(tx, crowd.tenantId, order, { span: whole(), looked: EVENTS_SCANNED_MAX }),
      ],
      ...(['events', 'events and messages'] as const).map((scanned): (typeof REQUESTS)[number] => [
        `how far a look at ${scanned} goes, ${order}`,
        scan(EVENTS_SCANNED_MAX),
        (tx) => {
          readInOrder(tx);
          return findEventScanEnd(tx, crowd.tenantId, order, { span: whole(), scanned });
        },
      ]),
    ];
  }),
  [
    'what was queued at a time that none was',
    scan(EVENTS_SCANNED_MAX),
    (tx) => {
      const filter = { createdAfter: new Date('2027-01-01T00:00:00Z'), createdBefore: null };
      const found = { filter, looked: EVENTS_SCANNED_MAX, limit: LIMIT };
      return listQueuedEvents(tx, crowd.tenantId, 'desc', { span: newest(), ...found });
    },
  ],
  [
    'what happened of late',
    2 * PAGE_BUFFERS,
    (tx) => listRecentEvents(tx, crowd.tenantId, crowd.id(5), LIMIT),
  ],
  ...(['failed', 'pending', 'delivered'] as const).map((status): (typeof REQUESTS)[number] => [
    `an endpoint's ${status} deliveries`,
    PAGE_BUFFERS,
    (tx) => {
      const filter = { status, types: null, ...EVERYTHING };
      return listDeliveries(tx, crowd.tenantId, crowd.webhookId, { range, filter, limit: LIMIT });
    },
  ]),
  ...[{ source: null }, { source: 'bounce' as const }, { source: 'manual' as const }].map(
    ({ source }): (typeof REQUESTS)[number] => [
      `suppressions by source ${source}`,
      2 * LIMIT,
      (tx) => listSuppressions(tx, crowd.tenantId, { address: null, source, ...EVERYTHING }, range, LIMIT),
    ],
  ),
];
const SOON = new Date('2026-01-01T00:00:00Z');
/** Of the crowd's messages. */
const QUEUED = 0.02 * MESSAGES;
const NO_FILTER = { tenantId: null, destination: null };
/** Every message of the crowd is older. */
const DUE = {
  before: '01a00000-0000-7000-8000-000000000000',
  cutoff: new Date('2027-01-01T00:00:00Z'),
  limit: 100,
};
const LEASE = '00000000-0000-7000-8000-00000000000a';

/** Reads of the service by itself, with nothing due. */
const WORK: [string, number, (tx: Tx) => Promise<unknown>][] = [
  ['who has due mail', FEW_BUFFERS, (tx) => findDueTenants(tx, SOON, null)],
  [
    'a claim of due mail',
    FEW_BUFFERS,
    (tx) => claimDue(tx, { tenantId: crowd.tenantId, now: SOON, limit: 64 }),
  ],
  ['which endpoints have due deliveries', FEW_BUFFERS, (tx) => findDueEndpoints(tx, false, SOON, null)],
  [
    'a claim of due deliveries',
    FEW_BUFFERS,
    (tx) => {
      const { tenantId, webhookId } = crowd;
      return claimDeliveries(tx, { tenantId, webhookId, leaseId: LEASE, now: SOON, limit: 64 });
    },
  ],
  // A thousandth of the 2 000 that wait is looked at, from either end.
  ['states of the queue, counted up to 20', 3 * 30, (tx) => queueStates(tx, 20)],
  ['states of webhooks, counted up to 20', 2 * 30, (tx) => readBacklog(tx, 20)],
  ['states of schedules', FEW_BUFFERS, (tx) => scheduleStates(tx)],
  ['state of the log', FEW_BUFFERS, (tx) => readLogState(tx, crowd.logId)],
  ['status of the logs', FEW_BUFFERS, (tx) => readLogStatus(tx)],
  ['status of the constancias', 120, (tx) => readCover(tx, { now: SOON, dueBefore: SOON })],
  // The same: a list of the queue, by each key, of all accounts or of one.
  ...queue.QUEUE_KEYS.flatMap((by) =>
    [null, '00000000-0000-7000-8000-000000000001'].map((tenantId): (typeof WORK)[number] => [
      `the queue by ${by}, ${tenantId === null ? 'of all' : 'of an account'}, counted up to 20`,
      2 * 30,
      (tx) => queue.groupQueue(tx, by, { tenantId, destination: null }, SOON, { groups: 20, counted: 20 }),
    ]),
  ),
  ['the sum of the queue, counted up to 20', 2 * 30, (tx) => queue.sumQueue(tx, NO_FILTER, SOON, 20)],
  // The whole queue is looked through for one destination, but not the messages.
  ...['busy.example', 'nobody.example'].flatMap((destination): (typeof WORK)[number][] => {
    const [filter, some] = [{ tenantId: null, destination }, 5 * 100 + QUEUED / 20];
    return [
      [`the sum of ${destination}`, QUEUED * 1.1 + 30, (tx) => queue.sumQueue(tx, filter, SOON, 20)],
      [`why 100 to ${destination} wait`, some, (tx) => queue.countDeferralReasons(tx, filter, 100)],
      [`replies to 100 to ${destination}`, some, (tx) => queue.countLastReplies(tx, filter, 100, 5)],
    ];
  }),
  [
    'what retention deleted, counted up to 1 000',
    FEW_BUFFERS,
    (tx) => countDeletions(tx, 'retention', 1_000),
  ],
  ['what was erased', FEW_BUFFERS, (tx) => countDeletions(tx, 'erasure', 1_000)],
  [
    'plain content that is due, among 100',
    PAGE_BUFFERS,
    (tx) => countDuePlain(tx, crowd.tenantId, { first: FIRST_ID, ...DUE }),
  ],
  [
    'certified content past its years, among 100',
    PAGE_BUFFERS,
    (tx) => countCertified(tx, crowd.tenantId, DUE),
  ],
  ['what is held, among 2 x 20', 10 * 40, (tx) => countHeld(tx, true, 20)],
];

describe.each(['before the tables have statistics', 'with statistics'])('%s', (when) => {
  beforeAll(async () => {
    if (when === 'with statistics') await owner.query('vacuum (analyze)');
  });

  test.each(FILTERS)('messages %j read at most %i', async (filter, bound) => {
    expect(await buffers.asTenant(crowd.tenantId, list(filter))).toBeLessThan(bound);
    expect(await buffers.rowsAsTenant(crowd.tenantId, list(filter))).toBeLessThanOrEqual(ROWS_MAX);
  });

  test.each(REQUESTS)('%s reads at most %i', async (_, bound, work) => {
    expect(await buffers.asTenant(crowd.tenantId, work)).toBeLessThan(bound);
    expect(await buffers.rowsAsTenant(crowd.tenantId, work)).toBeLessThanOrEqual(ROWS_MAX);
  });

  test.each(WORK)('%s reads at most %i', async (_, bound, work) => {
    expect(await buffers.of(work)).toBeLessThan(bound);
  });
});

/** All ids that pages of so many give, each from where the one before ended. */
async function walk(filter: Partial<MessageFilter>, limit: number, pages: number): Promise<string[]> {
  const ids: string[] = [];
  let below = range.below;
  for (let page = 0; page < pages; page++) {
    const { rows, end } = await db.asTenant(crowd.tenantId, (tx) =>
      listMessages(tx, crowd.tenantId, { ...range, below }, { ...ALL, ...filter }, limit),
    );
    ids.push(...rows.map((row) => row.message_id));
    below = rows.length === limit ? rows.at(-1)!.message_id : (end?.message_id ?? range.from);
  }
  return ids;
}

describe('pages', () => {
  const sorted = async (condition: string, limit: number) => {
    await owner.query('set role acuse_worker');
    const { rows } = await owner.query<{ id: string }>(
      `select message_id as id from messages where tenant_id = $1 and ${condition}
        order by message_id desc limit $2`,
      [crowd.tenantId, limit],
    );
    return rows.map(({ id }) => id);
  };

  test.each<[Partial<MessageFilter>, string]>([
    [{ statuses: ['complained', 'cancelled', 'queued'] }, "status in ('complained', 'cancelled', 'queued')"],
    [{ statuses: ['queued', 'deferred'] }, "status in ('queued', 'deferred')"],
    [{ statuses: ['queued', 'queued'] }, "status = 'queued'"],
    [{ statuses: ['sent', 'bounced'] }, "status in ('sent', 'bounced')"],
    [{ statuses: ['bounced'], bounceTypes: ['hard', 'policy'] }, "bounce_type in ('hard', 'policy')"],
    [{ ...to(BUSY), statuses: ['bounced'] }, `recipient_key = '${BUSY}' and status = 'bounced'`],
  ])('of %j follow each other without a gap', async (filter, condition) => {
    expect(await walk(filter, 7, 6)).toEqual(await sorted(condition, 42));
  });

  test('that find nothing end where they have looked', async () => {
    const look = (below: string) =>
      db.asTenant(crowd.tenantId, (tx) =>
        listMessages(tx, crowd.tenantId, { ...range, below }, { ...ALL, tag: 'none' }, LIMIT),
      );
    const first = await look(range.below);
    expect([first.rows, first.end?.message_id]).toEqual([[], crowd.id(MESSAGES - MESSAGES_SCANNED_MAX)]);
    expect(await look(crowd.id(MESSAGES_SCANNED_MAX - 1))).toEqual({ rows: [], end: null });
    const last = await look(crowd.id(MESSAGES_SCANNED_MAX));
    expect(last.end?.message_id).toBe(crowd.id(0));
  });

  test('that are full before they have looked at all have no end', async () => {
    expect((await db.asTenant(crowd.tenantId, list({ tag: 'invoice' }))).end).toBeNull();
  });
});

test('that a message was sent changes its row in place: no index is written', async () => {
  // In the last block, in which there is room.
  const messageId = crowd.id(MESSAGES - 3);
  const counted = await db.transact(async (tx) => {
    const known = {
      tenantId: crowd.tenantId,
      messageId,
      at: SOON,
      lastReply: null,
      bounceType: null,
      bounceReason: null,
    };
    expect(await updateMessages(tx, [{ ...known, status: 'sent', nextAttemptAt: null }])).toBe(1);
    return tx.query<{ updated: number; in_place: number }>(
      `select pg_stat_get_xact_tuples_updated(t.oid)::integer as updated,
              pg_stat_get_xact_tuples_hot_updated(t.oid)::integer as in_place
         from (select 'messages'::regclass::oid) t`,
    );
  });
  expect(counted).toEqual([{ updated: 1, in_place: 1 }]);
});
