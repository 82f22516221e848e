import { Blob } from '../platform/blob.ts';
import { plainArray, textArray, timeArray } from '../platform/database/array-text.ts';
import type { Queryable, Tx } from '../platform/database/db.ts';
import { changed, first } from '../platform/database/rows.ts';
import type { AskedLanguage } from './acknowledgement.ts';
import type { PreparedMessage } from './prepared.ts';
import type { MessageStatus } from './status.ts';

export type AcknowledgementStatus = 'requested' | 'acknowledged' | 'refused' | 'unanswered';
export type AcknowledgementSource = 'recipient_page' | 'reported_by_mail' | 'operator';

/** As JSON: times are text. */
export interface AcknowledgementOfRow {
  readonly status: AcknowledgementStatus;
  readonly source: AcknowledgementSource | null;
  readonly at: string | null;
  readonly until: string;
}

/** In the commit that accepts the messages; no statement if none asks. Pipelined. */
export function insertAcknowledgements(tx: Tx, accepted: readonly PreparedMessage[]): void {
  const asking = accepted.filter(({ asked }) => asked !== undefined);
  if (asking.length === 0) return;
  const hashes = new Blob(asking.map(({ asked }) => asked!.tokenSha256));
  tx.send(
    `insert into acknowledgements (tenant_id, message_id, token_sha256, language, until, created_at)
     select t.tenant_id, t.message_id, substring($3::bytea from t.at for 32), t.language, t.until,
            t.created_at
       from unnest($1::uuid[], $2::uuid[], $4::integer[], $5::text[], $6::timestamptz[], $7::timestamptz[])
         as t (tenant_id, message_id, at, language, until, created_at)
     returning null`,
    [
      plainArray(asking.map(({ tenantId }) => tenantId)),
      plainArray(asking.map(({ messageId }) => messageId)),
      hashes.bytes,
      plainArray(hashes.from),
      textArray(asking.map(({ asked }) => asked!.language)),
      timeArray(asking.map(({ asked }) => asked!.until)),
      timeArray(asking.map(({ createdAt }) => createdAt)),
    ],
    'accept_insert_acknowledgements',
  );
}

/** The facts that the page of a link shows and an act rests on. */
export interface AskedRow {
  readonly tenantId: string;
  readonly messageId: string;
  readonly language: AskedLanguage;
  readonly until: Date;
  readonly status: AcknowledgementStatus;
  readonly decidedAt: Date | null;
  readonly codeSentAt: Date | null;
  readonly headerFrom: string;
  readonly headerTo: string;
  readonly recipientAddress: string;
  readonly subject: string;
  readonly messageStatus: MessageStatus;
  readonly sentAt: Date | null;
  readonly attempts: number;
  readonly canonicalHash: Uint8Array;
  readonly createdAt: Date;
  readonly sizeBytes: number;
  /** The content was deleted. */
  readonly isErased: boolean;
}

const ASKED = `a.tenant_id as "tenantId", a.message_id as "messageId", a.language, a.until, a.status,
  a.decided_at as "decidedAt", a.code_sent_at as "codeSentAt", m.header_from as "headerFrom",
  m.header_to as "headerTo", m.recipient_address as "recipientAddress", m.subject,
  m.status as "messageStatus", m.sent_at as "sentAt", m.attempts, m.canonical_hash as "canonicalHash",
  m.created_at as "createdAt", m.size_bytes as "sizeBytes", m.erased_at is not null as "isErased"`;

/** By the link alone, which names no account. */
export async function findAsked(q: Queryable, tokenSha256: Uint8Array): Promise<AskedRow | null> {
  const [row] = await q.query<AskedRow>(
    `select ${ASKED} from acknowledgements a
       join messages m on m.tenant_id = a.tenant_id and m.message_id = a.message_id
      where a.token_sha256 = $1`,
    [tokenSha256],
    'acknowledgement_find',
  );
  return row ?? null;
}

/** Was its recipient asked to acknowledge it? */
export async function isAsked(
  q: Queryable,
  message: { readonly tenant_id: string; readonly message_id: string },
): Promise<boolean> {
  const rows = await q.query(
    'select 1 from acknowledgements where tenant_id = $1 and message_id = $2',
    [message.tenant_id, message.message_id],
    'acknowledgement_is_asked',
  );
  return rows.length === 1;
}

/** Null: not asked for. Finds by message id alone, because the address names no account. */
export async function findAskedOf(q: Queryable, messageId: string): Promise<AskedRow | null> {
  const [row] = await q.query<AskedRow>(
    `select ${ASKED} from messages m
       join acknowledgements a on a.tenant_id = m.tenant_id and a.message_id = m.message_id
      where m.message_id = $1`,
    [messageId],
    'acknowledgement_find_of',
  );
  return row ?? null;
}

export interface Unanswered {
  /** Lower case. */
  readonly domain: string;
  /** Local parts, lower case, without a +tag. */
  readonly names: readonly string[];
  readonly sentBefore: Date;
  readonly now: Date;
}

/** Open requests to recipients with these names, in all accounts. */
export function listUnanswered(q: Queryable, of: Unanswered, limit: number): Promise<AskedRow[]> {
  return q.query<AskedRow>(
    `select ${ASKED} from acknowledgements a
       join messages m on m.tenant_id = a.tenant_id and m.message_id = a.message_id
      where a.status = 'requested' and a.until > $4 and m.sent_at <= $3 and m.erased_at is null
        and split_part(lower(m.recipient_address), '@', 2) = $1
        and split_part(split_part(lower(m.recipient_address), '@', 1), '+', 1) = any($2::text[])
      order by a.until limit $5`,
    [of.domain, textArray(of.names), of.sentBefore, of.now, limit],
    'acknowledgement_unanswered',
  );
}

interface OfMessage {
  readonly tenantId: string;
  readonly messageId: string;
}

interface NewCode extends OfMessage {
  readonly codeSha256: Uint8Array;
  readonly at: Date;
  /** A newer one was sent: too soon. */
  readonly before: Date;
  /** Most codes for the message, in all. */
  readonly most: number;
}

/** The newest code replaces the one before it. False: too soon, too many, or decided. */
export function setCode(tx: Tx, code: NewCode): Promise<boolean> {
  return changed(
    tx,
    `update acknowledgements
        set code_sha256 = $3, code_sent_at = $4, code_tries = 0, codes = codes + 1
      where tenant_id = $1 and message_id = $2 and status = 'requested' and until > $4 and codes < $6
        and (code_sent_at is null or code_sent_at <= $5)`,
    [code.tenantId, code.messageId, code.codeSha256, code.at, code.before, code.most],
    'acknowledgement_set_code',
  );
}

/** It was not sent: the one before it is gone as well, and counts. */
export async function takeBackCode(tx: Tx, { tenantId, messageId }: OfMessage): Promise<void> {
  await tx.execute(
    `update acknowledgements set code_sha256 = null, code_sent_at = null, code_tries = 0, codes = codes - 1
      where tenant_id = $1 and message_id = $2 and codes > 0`,
    [tenantId, messageId],
    'acknowledgement_take_back_code',
  );
}

/** Counted before it is judged, so that many at once count like many in turn. False: none is left. */
export function takeTry(
  tx: Tx,
  { tenantId, messageId, since, most }: OfMessage & { readonly since: Date; readonly most: number },
): Promise<{ readonly codeSha256: Buffer; readonly codeSentAt: Date } | null> {
  return first<{ codeSha256: Buffer; codeSentAt: Date }>(
    tx,
    `update acknowledgements set code_tries = code_tries + 1
      where tenant_id = $1 and message_id = $2 and status = 'requested' and code_sha256 is not null
        and code_sent_at > $3 and code_tries < $4
     returning code_sha256 as "codeSha256", code_sent_at as "codeSentAt"`,
    [tenantId, messageId, since, most],
    'acknowledgement_take_try',
  );
}

/**
 * One decision per message; the first wins. False: decided before, or too late; for `unanswered`: too early.
 */
export function decideAcknowledgement(
  tx: Tx,
  decision: OfMessage & {
    readonly status: Exclude<AcknowledgementStatus, 'requested'>;
    readonly source: AcknowledgementSource;
    readonly at: Date;
  },
): Promise<boolean> {
  return changed(
    tx,
    `update acknowledgements
        set status = $3, source = $4, decided_at = $5, code_sha256 = null
      where tenant_id = $1 and message_id = $2 and status = 'requested'
        and (case when $3 = 'unanswered' then until <= $5 else until > $5 end)`,
    [decision.tenantId, decision.messageId, decision.status, decision.source, decision.at],
    'acknowledgement_decide',
  );
}

export interface DueRow extends OfMessage {
  readonly headerTo: string;
  readonly attempts: number;
  /** Some server took it: it could be acknowledged. */
  readonly wasSent: boolean;
  readonly isErased: boolean;
}

/** Requests whose time ran out, the oldest first, of all accounts. */
export function listDueAcknowledgements(q: Queryable, now: Date, limit: number): Promise<DueRow[]> {
  return q.query<DueRow>(
    `select a.tenant_id as "tenantId", a.message_id as "messageId", m.header_to as "headerTo", m.attempts,
            m.sent_at is not null as "wasSent", m.erased_at is not null as "isErased"
       from acknowledgements a
       join messages m on m.tenant_id = a.tenant_id and m.message_id = a.message_id
      where a.status = 'requested' and a.until <= $1
      order by a.until limit $2`,
    [now, limit],
    'acknowledgement_due',
  );
}

/** Ends it without an outcome: the message never arrived, or its content was deleted. */
export async function endUnsaid(tx: Tx, { tenantId, messageId }: OfMessage, at: Date): Promise<void> {
  await tx.execute(
    `update acknowledgements
        set status = 'unanswered', source = 'operator', decided_at = $3, code_sha256 = null
      where tenant_id = $1 and message_id = $2 and status = 'requested' and until <= $3`,
    [tenantId, messageId, at],
    'acknowledgement_end_unsaid',
  );
}
