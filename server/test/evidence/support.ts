import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { draftMessageManifest, finishManifest } from '@acuse/evidence/manifest';
import type { TimeStampPolicy } from '@acuse/evidence/timestamp/policy';
import { type TestDatabase, testDatabase } from '@acuse/testkit/database';
import { positiveSerial } from '@acuse/tsa/certificates';
import {
  createDevelopmentAuthority,
  DEVELOPMENT_POLICY_OID,
  developmentPolicy,
} from '@acuse/tsa/development';
import { type Responder, respond } from '@acuse/tsa/respond';
import { createArchivedContentsInOrder } from '../../src/evidence/archive/archived-contents.ts';
import { openArchiveFolder } from '../../src/evidence/archive/open-archive.ts';
import { type LogSigner, openLog } from '../../src/evidence/log/log-key.ts';
import { type Authorities, createAuthorities } from '../../src/evidence/stamp/authorities.ts';
import { createRfc3161HttpSealer } from '../../src/evidence/stamp/rfc3161-http.ts';
import type { Sealer } from '../../src/evidence/stamp/sealer.ts';
import type { ArchivedContents } from '../../src/messages/archived-contents.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { type Db, openDb, type Queryable, type Tx } from '../../src/platform/database/db.ts';
import { newId } from '../../src/platform/ids.ts';
import type { LoopLog } from '../../src/platform/logger.ts';
import { createSecretBox, type SecretBox } from '../../src/platform/secrets.ts';
import { sha256 } from '../../src/platform/sha256.ts';

export const secrets = createSecretBox([Buffer.alloc(32, 7)]);
export const ORIGIN = 'acuse.test/log';

export const quietLog: LoopLog = { error: () => {}, warn: () => {} };

export interface World {
  readonly db: Db;
  readonly url: string;
  readonly log: LogSigner;
  readonly clock: Clock;
  readonly secrets: SecretBox;
  readonly archived: ArchivedContents;
  close(): Promise<void>;
}

export async function openWorld(
  clock: Clock = systemClock,
  making: Promise<TestDatabase> = testDatabase(),
): Promise<World> {
  const database = await making;
  const db = openTestDb(database.url);
  const log = await openLog({ db, secrets, clock }, ORIGIN);
  return {
    db,
    url: database.url,
    log,
    clock,
    secrets,
    archived: createArchivedContentsInOrder({ db, open: openArchiveFolder }),
    async close() {
      await db.close();
      await database.drop();
    },
  };
}

/** Goes on by an hour between two looks, so that nothing that is kept for a moment is fresh. */
export function hastyClock(): Clock {
  let ms = 0;
  return { now: systemClock.now, monotonicMs: () => (ms += 3_600_000) };
}

export function openTestDb(url: string): Db {
  return openDb({ connectionString: url, poolSize: 4, applicationName: 'test' });
}

export async function addTenant(db: Db, name = 'tenant'): Promise<string> {
  const tenantId = newId();
  const now = new Date().toISOString();
  await db.execute(
    `insert into tenants (tenant_id, name, default_certified, quota_messages_month,
      quota_plain_messages_month,
            price_per_message_cents, price_per_plain_message_cents, created_at, updated_at)
     values ($1, $2, true, 1000000, 1000000, 0, 0, $3, $3)`,
    [tenantId, name, now],
  );
  return tenantId;
}

/** Pending leaves of any hash: for what looks at the tree alone and never at a message. */
export async function addLeaves(db: Db, log: LogSigner, tenantId: string, count: number): Promise<Buffer[]> {
  const hashes = Array.from({ length: count }, () => randomBytes(32));
  const ids = hashes.map(() => newId());
  await db.transact(async (tx) => {
    await tx.execute(
      `insert into leaf_contents (tenant_id, leaf_id, message_id, kind, canonical_hash, manifest, created_at)
       select $1, l.leaf_id, l.leaf_id, 'message', l.hash, l.hash, now() from unnest($2::uuid[],
         $3::bytea[]) as l (leaf_id, hash)`,
      [tenantId, ids, hashes],
    );
    await tx.execute(
      `insert into pending_leaves (tenant_id, leaf_id, log_id, message_id, canonical_hash)
       select $1, l.leaf_id, $4, l.leaf_id, l.hash from unnest($2::uuid[], $3::bytea[]) as l (leaf_id, hash)`,
      [tenantId, ids, hashes, log.logId],
    );
  });
  return hashes;
}

/**
 * Where a faulty database breaks: before or after the n-th statement of a transaction, or after its commit (n
 * = 'commit').
 */
export interface Fault {
  readonly at: number | 'commit';
  readonly persisted: boolean;
}

export class InjectedCrash extends Error {}

/** A database whose next transaction breaks as said: a crash of this process, as far as the rows can tell. */
export function faultyDb(db: Db, fault: Fault): Db & { readonly statements: () => number } {
  let seen = 0;
  const breaking = (tx: Tx): Tx => {
    const wrap = <T>(run: () => Promise<T>): Promise<T> => {
      seen++;
      if (fault.at !== seen) return run();
      if (!fault.persisted) return Promise.reject(new InjectedCrash());
      return run().then(() => Promise.reject(new InjectedCrash()));
    };
    const wrapped: Queryable = {
      query: (text, values, name) => wrap(() => tx.query(text, values, name)) as never,
      execute: (text, values, name) => wrap(() => tx.execute(text, values, name)),
    };
    const send: Tx['send'] = (text, values, name) => {
      seen++;
      if (fault.at !== seen || fault.persisted) tx.send(text, values, name);
      if (fault.at === seen) throw new InjectedCrash();
    };
    const copyOut: Tx['copyOut'] = (select, values) => wrap(() => tx.copyOut(select, values));
    const { distributed, note, onEnd } = tx;
    return { kind: 'tx', ...wrapped, copyOut, distributed, send, note, onEnd };
  };
  return {
    ...db,
    statements: () => seen,
    async transact(work) {
      if (fault.at === 'commit' && !fault.persisted) {
        return db.transact(async (tx) => {
          await work(breaking(tx));
          throw new InjectedCrash();
        });
      }
      const value = await db.transact((tx) => work(breaking(tx)));
      if (fault.at === 'commit') throw new InjectedCrash();
      return value;
    },
  };
}

/** A real time-stamping authority over HTTP that can be told to fail. */
export interface TestTsa {
  readonly url: string;
  readonly policy: TimeStampPolicy;
  /** Its treatment of a request from now on; the honest answer by default. */
  behave(behaviour: Behaviour): void;
  readonly requests: () => number;
  close(): Promise<void>;
}

/** `honest`: what the authority would answer to a request. */
export type Behaviour = (
  answer: ServerResponse,
  honest: (request: Uint8Array) => Uint8Array,
  request: Buffer,
) => void;

export const honest: Behaviour = (answer, respondTo, request) =>
  answer.setHeader('content-type', 'application/timestamp-reply').end(respondTo(request));

export interface TsaOptions {
  /** Another signer than the development one, and what pins it. */
  readonly responder?: Responder;
  readonly policy?: TimeStampPolicy;
  /** HTTPS, with whatever it asks of clients. */
  readonly tls?: ServerOptions;
}

/** `clock`: the authority's own. */
export async function startTsa(
  clock: () => Date = () => new Date(),
  { responder, policy, tls }: TsaOptions = {},
): Promise<TestTsa> {
  const { root, signer } = createDevelopmentAuthority({ now: new Date(), random: randomBytes });
  const respondTo = (request: Uint8Array) =>
    respond(
      request,
      responder ?? {
        signer,
        chain: [root.der],
        clock,
        serial: () => positiveSerial(randomBytes),
        policyOid: DEVELOPMENT_POLICY_OID,
      },
    );
  let behaviour = honest;
  let requests = 0;
  const answerTo = async (request: IncomingMessage, answer: ServerResponse) => {
    requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    behaviour(answer, respondTo, Buffer.concat(chunks));
  };
  const server = tls === undefined ? createServer(answerTo) : createTlsServer(tls, answerTo);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`,
    policy: policy ?? developmentPolicy(root),
    behave: (next) => {
      behaviour = next;
    },
    requests: () => requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function sealerOf(
  { url, policy }: Pick<TestTsa, 'url' | 'policy'>,
  { timeoutMs = 25_000, ...change }: Partial<Sealer> & { timeoutMs?: number } = {},
): Sealer {
  const credentials = { kind: 'none' } as const;
  return {
    ...createRfc3161HttpSealer({ url, policy, credentials, random: randomBytes, timeoutMs }),
    ...change,
  };
}

export interface TestMessage {
  readonly tenantId: string;
  readonly messageId: string;
  readonly raw: Buffer;
}

/** Certified messages as the accept path leaves them, each row as legal as its own. */
export async function addMessages(
  db: Db,
  log: LogSigner,
  tenantId: string,
  count: number,
  acceptedAt?: Date,
): Promise<TestMessage[]> {
  const made: TestMessage[] = [];
  await db.transact(async (tx) => {
    for (let i = 0; i < count; i++) made.push(await addMessage(tx, log, tenantId, true, acceptedAt));
  });
  return made;
}

export async function addPlainMessage(
  db: Db,
  log: LogSigner,
  tenantId: string,
  acceptedAt?: Date,
): Promise<TestMessage> {
  return db.transact((tx) => addMessage(tx, log, tenantId, false, acceptedAt));
}

const MAIL_FROM = 'b+token@bounce.sender.test';

async function addMessage(
  tx: Tx,
  log: LogSigner,
  tenantId: string,
  certified: boolean,
  createdAt = new Date(),
): Promise<TestMessage> {
  const messageId = newId(createdAt.getTime());
  const recipient = 'ana@example.test';
  const raw = Buffer.from(
    `Service-Evidence: v=1; id=${messageId}; log=${log.origin}\r\nFrom: <ventas@sender.test>\r\nTo: <${recipient}>\r\nSubject: Hola\r\nDate: Thu, 19 Nov 2026 00:00:00 +0000\r\nMessage-ID: <${messageId}@sender.test>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\nBuenos dias.\r\n`,
  );
  const submission = Buffer.from(
    JSON.stringify({ from: 'ventas@sender.test', to: recipient, text: 'Buenos dias.' }),
  );
  const sequence = certified ? await nextSequence(tx, tenantId) : null;
  const secret = randomBytes(32);
  const leaf =
    sequence === null
      ? null
      : finishManifest(
          draftMessageManifest(
            {
              raw,
              submission,
              mailFrom: MAIL_FROM,
              rcptTo: recipient,
              log: log.origin,
              messageId,
              tenantId,
              acceptedAt: createdAt,
              dkim: [],
              secret,
            },
            sha256,
          ),
          BigInt(sequence),
          sha256,
        );
  await tx.execute(
    `insert into messages (tenant_id, message_id, idempotency_key, header_from, header_to, sender_address,
      recipient_address, reverse_path, subject,
            certified, status, size_bytes, canonical_hash, tenant_sequence, created_at, next_attempt_at)
     values ($1, $2::uuid, $2::uuid::text, 'ventas@sender.test', $3, 'ventas@sender.test', $3, $9, 'Hola', $4,
       'queued', $5, $6, $7, $8, $8)`,
    [
      tenantId,
      messageId,
      recipient,
      certified,
      raw.length,
      leaf?.canonicalHash ?? null,
      sequence,
      createdAt.toISOString(),
      MAIL_FROM,
    ],
  );
  await tx.execute(
    'insert into message_contents (tenant_id, message_id, raw, submission) values ($1, $2, $3, $4)',
    [tenantId, messageId, raw, submission],
  );
  await tx.execute(
    `insert into daily_counters (tenant_id, day, ingested, ingested_certified) values ($1, $2, 1, $3)
     on conflict (tenant_id, day) do update set ingested = daily_counters.ingested + 1,
       ingested_certified = daily_counters.ingested_certified + excluded.ingested_certified`,
    [tenantId, createdAt.toISOString().slice(0, 10), certified ? 1 : 0],
  );
  if (leaf !== null) {
    await insertLeaf(tx, log, {
      tenantId,
      leafId: messageId,
      messageId,
      canonicalHash: leaf.canonicalHash,
      manifest: leaf.manifestBytes,
      openings: secret,
    });
  }
  return { tenantId, messageId, raw };
}

async function nextSequence(tx: Tx, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    `insert into tenant_sequences (tenant_id, last_sequence) values ($1, 1)
     on conflict (tenant_id) do update set last_sequence = tenant_sequences.last_sequence + 1 returning
       last_sequence as n`,
    [tenantId],
  );
  return row!.n;
}

interface NewLeaf {
  tenantId: string;
  leafId: string;
  messageId: string;
  canonicalHash: Uint8Array;
  manifest: Uint8Array;
  openings: Uint8Array;
}

async function insertLeaf(tx: Tx, log: LogSigner, leaf: NewLeaf): Promise<void> {
  await tx.execute(
    `insert into leaf_contents (tenant_id, leaf_id, message_id, kind, canonical_hash, manifest, openings,
      created_at)
     values ($1, $2, $3, 'message', $4, $5, $6, now())`,
    [leaf.tenantId, leaf.leafId, leaf.messageId, leaf.canonicalHash, leaf.manifest, leaf.openings],
  );
  await tx.execute(
    'insert into pending_leaves (tenant_id, leaf_id, log_id, message_id, canonical_hash) values ($1, $2, $3, $4, $5)',
    [leaf.tenantId, leaf.leafId, log.logId, leaf.messageId, leaf.canonicalHash],
  );
}

/** These authorities in this order; unlike in earnest, none is ever left alone unless a rule says so. */
export function authoritiesOf(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  ...by: readonly (TestTsa | Sealer)[]
): Authorities {
  const pauseRule = { failures: 1_000_000, minMs: 0, maxMs: 0 };
  const sealers = by.map((each) => ('behave' in each ? sealerOf(each) : each));
  return createAuthorities({ db, clock, log: quietLog, sealers, pauseRule });
}
