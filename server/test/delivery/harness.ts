import { randomBytes } from 'node:crypto';
import { dkimPublicKey } from '@acuse/mail/dkim-keys';
import { type ReportRecipe, writeOwnReport } from '@acuse/mail/report/own-report';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { dkimKeyForTests } from '@acuse/testkit/dkim-keys';
import { PATIENCE } from '@acuse/testkit/eventually';
import {
  type PeerScript,
  type SmtpPeer,
  type SmtpPeerOptions,
  startSmtpPeer,
} from '@acuse/testkit/smtp-peer';
import { expect, vi } from 'vitest';
import { dkimKeyContext } from '../../src/accounts/domains/dkim-keys.ts';
import type { Router } from '../../src/delivery/next-hop/router.ts';
import type { Pauses } from '../../src/delivery/operate/pauses.ts';
import { createDelivery, type Delivery, type DeliveryDeps } from '../../src/delivery/worker.ts';
import { OUTCOME_ATTEMPT, type OutcomeAttempt } from '../../src/evidence/bundle/outcome-columns.ts';
import { DELIVERY_LIFETIME_MS } from '../../src/messages/prepare.ts';
import { createReversePath, type ReversePathOf } from '../../src/messages/reverse-path.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { type Db, openDb } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/logger.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { createThreads } from '../../src/platform/threads/threads.ts';

/**
 * A real database with tenants, domains and queued messages as acceptance would leave them, and workers over
 * it.
 */
export interface Harness {
  db: Db;
  url: string;
  clock: TestClock;
  returnPathSecret: Uint8Array;
  reversePathOf: ReversePathOf;
  tenant(): Promise<string>;
  /** A verified domain with both DKIM keys; returns their DNS records. */
  domain(tenantId: string, name: string): Promise<Map<string, string>>;
  queue(tenantId: string, message?: Partial<QueuedMessage>): Promise<string>;
  worker(router: Router, deps?: Partial<DeliveryDeps>): Delivery;
  /** A worker, started. */
  work(router: Router, deps?: Partial<DeliveryDeps>): Delivery;
  peer(script?: PeerScript, options?: SmtpPeerOptions): Promise<SmtpPeer>;
  message(messageId: string): Promise<MessageFacts>;
  /** The message once it has had so many attempts. */
  attempted(messageId: string, attempts?: number): Promise<MessageFacts>;
  /** Closed together with the peers. */
  closeLater<T extends { close(): Promise<unknown> }>(opened: T): T;
  /** After a test: stops its workers and peers, and empties the queue and these tables. */
  clear(...tables: string[]): Promise<void>;
  close(): Promise<void>;
}

export interface QueuedMessage {
  to: string;
  from: string;
  certified: boolean;
  raw: Buffer;
  createdAt: Date;
}

export interface MessageFacts {
  status: string;
  attempts: number;
  next_attempt_at: Date | null;
  sent_at: Date | null;
  deferred_at: Date | null;
  bounced_at: Date | null;
  complained_at: Date | null;
  last_reply: { code: number | null; enhanced: string | null; text: string; mx: string | null } | null;
  events: { type: string; data: Record<string, unknown> }[];
  attemptRows: Record<string, unknown>[];
  queued: boolean;
  reports: { action: string; report: string }[];
}

/** Wall-clock time that can be set forward; durations stay real, so that sockets behave. */
export class TestClock implements Clock {
  #aheadMs = 0;
  now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }
  monotonicMs(): number {
    return performance.now() + this.#aheadMs;
  }
  forward(ms: number): void {
    this.#aheadMs += ms;
  }
}

/**
 * How long a test waits for what must come: waiting costs a passing test nothing, and a busy machine takes
 * its time.
 */

/** Nothing is held back. */
export const NO_PAUSES: Pauses = {
  destinations: new Set(),
  tenants: new Set(),
  isPaused: () => false,
  known: async () => {},
  start() {},
  stop() {},
};

export const log = createLog(process.env['ACUSE_TEST_LOG'] ?? 'silent');
const secrets = createSecretBox([randomBytes(32)]);

/** As if the time had passed for which what was claimed is held: of one message, or of all. */
export async function endLeases({ db }: Pick<Harness, 'db'>, messageId: string | null = null): Promise<void> {
  await db.execute(
    `update delivery_queue set due_at = now() - interval '1 second',
      leased_until = now() - interval '1 second'
      where leased_until is not null and ($1::uuid is null or message_id = $1)`,
    [messageId],
  );
}

export async function openHarness(): Promise<Harness> {
  const threads = createThreads();
  const database: TestDatabase = await testDatabase();
  const db = openDb({ connectionString: database.url, poolSize: 6, applicationName: 'test' });
  const clock = new TestClock();
  const returnPathSecret = randomBytes(32);
  const reversePathOf = createReversePath(returnPathSecret, 'mail.acuse.test');
  const workers: Delivery[] = [];
  const opened: { close(): Promise<unknown> }[] = [];

  const harness: Harness = {
    db,
    url: database.url,
    clock,
    returnPathSecret,
    reversePathOf,
    async tenant() {
      const tenantId = newId();
      await db.execute(
        `insert into tenants (tenant_id, name, default_certified, quota_messages_month,
          quota_plain_messages_month,
                price_per_message_cents, price_per_plain_message_cents, created_at, updated_at)
         values ($1, 'Tenant', false, 1000000, 1000000, 0, 0, now(), now())`,
        [tenantId],
      );
      return tenantId;
    },
    async domain(tenantId, name) {
      const domainId = newId();
      await db.execute(
        `insert into domains (tenant_id, domain_id, name, status, challenge, created_at, verified_at)
         values ($1, $2, $3, 'verified', 'x', now(), now())`,
        [tenantId, domainId, name],
      );
      const records = new Map<string, string>();
      for (const algorithm of ['rsa-sha256', 'ed25519-sha256'] as const) {
        const dkimKeyId = newId();
        const type = algorithm === 'rsa-sha256' ? 'rsa' : 'ed25519';
        const privateKey = await dkimKeyForTests(algorithm);
        const der = privateKey.export({ type: 'pkcs8', format: 'der' });
        const publicKey = dkimPublicKey(privateKey);
        await db.execute(
          `insert into dkim_keys (tenant_id, dkim_key_id, domain_id, selector, algorithm, public_key,
            private_key_sealed, created_at)
           values ($1, $2, $3, $4, $5, $6, $7, now())`,
          [
            tenantId,
            dkimKeyId,
            domainId,
            type,
            algorithm,
            publicKey,
            secrets.seal(der, dkimKeyContext(tenantId, dkimKeyId)),
          ],
        );
        records.set(`${type}._domainkey.${name}`, `v=DKIM1; k=${type}; p=${publicKey}`);
      }
      return records;
    },
    async queue(tenantId, given = {}) {
      const messageId = newId();
      const { to = 'someone@sandbox.test', from = 'sender@sandbox.test', certified = false } = given;
      const createdAt = given.createdAt ?? clock.now();
      const raw = given.raw ?? composed(messageId, from, to);
      await db.transact(async (tx) => {
        await tx.execute(
          `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to,
            sender_address, recipient_address,
                  reverse_path, subject, certified, status, size_bytes, canonical_hash, tenant_sequence, created_at, next_attempt_at)
           values ($1, $2, ($2::uuid)::text, $3, $4, $3, $4, $5, 'Hello', $6, 'queued', $7, $8, $9, $10,
             $10)`,
          [
            tenantId,
            messageId,
            from,
            to,
            reversePathOf(messageId, null, createdAt),
            certified,
            raw.length,
            certified ? randomBytes(32) : null,
            certified ? 1 : null,
            createdAt,
          ],
        );
        await tx.execute(
          'insert into message_contents (tenant_id, message_id, raw, submission) values ($1, $2, $3, $4)',
          [tenantId, messageId, raw, Buffer.from('{}')],
        );
        await tx.execute(
          `insert into delivery_queue (tenant_id, message_id, destination, due_at, created_at, expires_at)
           values ($1, $2, $3, $4, $4, $5)`,
          [
            tenantId,
            messageId,
            to.slice(to.lastIndexOf('@') + 1),
            createdAt,
            new Date(createdAt.getTime() + DELIVERY_LIFETIME_MS),
          ],
        );
      });
      return messageId;
    },
    worker(router, deps = {}) {
      const worker = createDelivery({
        db,
        clock,
        log,
        secrets,
        random: () => 0.5,
        threads,
        hostname: 'mail.acuse.test',
        sandbox: false,
        router,
        pollMs: 20,
        ...deps,
      });
      workers.push(worker);
      return worker;
    },
    work(router, deps) {
      const worker = harness.worker(router, deps);
      worker.start();
      return worker;
    },
    async peer(script = {}, options = {}) {
      return harness.closeLater(await startSmtpPeer({ script, ...options }));
    },
    closeLater(each) {
      opened.push(each);
      return each;
    },
    async attempted(messageId, attempts = 1) {
      await vi.waitFor(
        async () => expect((await harness.message(messageId)).attempts).toBe(attempts),
        PATIENCE,
      );
      return harness.message(messageId);
    },
    async clear(...tables) {
      await Promise.all(workers.splice(0).map((worker) => worker.stop(200)));
      await Promise.all(opened.splice(0).map((each) => each.close()));
      for (const table of ['delivery_queue', ...tables]) await db.execute(`delete from ${table}`);
    },
    async message(messageId) {
      const [message] = await db.query<Omit<MessageFacts, 'events' | 'attemptRows' | 'queued' | 'reports'>>(
        `select status, attempts, next_attempt_at, sent_at, deferred_at, bounced_at, complained_at, last_reply
           from messages where message_id = $1`,
        [messageId],
      );
      const events = await db.query<MessageFacts['events'][number]>(
        'select type, data from events where message_id = $1 order by event_id',
        [messageId],
      );
      const attemptRows = await db.query('select * from attempts where message_id = $1 order by attempt', [
        messageId,
      ]);
      const queued = await db.query('select 1 from delivery_queue where message_id = $1', [messageId]);
      const reports = await reportsOf(db, messageId);
      return {
        ...message!,
        events,
        attemptRows,
        queued: queued.length > 0,
        reports,
      };
    },
    async close() {
      await threads.stop();
      await Promise.all(workers.map((worker) => worker.stop(500)));
      await Promise.all(opened.map((each) => each.close()));
      await db.close();
      await database.drop();
    },
  };
  return harness;
}

export function composed(messageId: string, from: string, to: string, body = 'Hello there.\r\n'): Buffer {
  return Buffer.from(
    [
      `Service-Evidence: v=1; id=${messageId}; log=acuse.test/log`,
      `From: ${from}`,
      `To: ${to}`,
      'Subject: Hello',
      'Date: Fri, 20 Nov 2026 09:00:00 +0000',
      `Message-ID: <${messageId}@sandbox.test>`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
      body,
    ].join('\r\n'),
  );
}

/** Ours, written from their attempts, and those that came by mail; oldest first. */
async function reportsOf(db: Db, messageId: string): Promise<{ action: string; report: string }[]> {
  const ours = await db.query<OutcomeAttempt & { recipe: ReportRecipe }>(
    `select ${OUTCOME_ATTEMPT} from attempts a join messages m using (tenant_id, message_id)
       left join message_contents c using (tenant_id, message_id)
      where a.message_id = $1 and a.attempt in (select min(attempt) from attempts
        where message_id = $1 and report is not null group by report->>'action')`,
    [messageId],
  );
  const byMail = await db.query<{ action: string; report: Buffer; at: Date }>(
    'select action, report, created_at as at from delivery_reports where message_id = $1',
    [messageId],
  );
  const written = ours.map((row) => ({
    action: row.recipe.action,
    report: writeOwnReport(row.recipe, { ...row, messageId, raw: row.header ?? new Uint8Array(0) }),
    at: row.finishedAt,
  }));
  return [...written, ...byMail]
    .sort((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ action, report }) => ({ action, report: Buffer.from(report).toString('utf8') }));
}
