import { equalBytes } from '@acuse/evidence/bytes';
import { findKey, lockKey } from '../accounts/api-keys/store.ts';
import { type AuditSource, appendAccountEvent } from '../accounts/audit/append.ts';
import { apiError } from '../errors.ts';
import type { DbAndClock, Tx } from '../platform/database/db.ts';
import { isId, newId } from '../platform/ids.ts';
import { sha256 } from '../platform/sha256.ts';
import type { Threads } from '../platform/threads/threads.ts';
import type { Accept, Accepted } from './accept.ts';
import { decidedBefore, recordApproval } from './approval.ts';
import {
  type ApprovalRow,
  countWaiting,
  decideApproval,
  findApproval,
  findAsked,
  findAskedRequest,
  forgetEndedApprovals,
  insertApproval,
  listWaiting,
} from './approval-store.ts';
import { type SendRequest, shownOf } from './prepare.ts';
import type { PreparedMessage } from './prepared.ts';
import { isRfc822, RFC822, readSubmission } from './read-send.ts';
import { mailboxText } from './recipients.ts';
import { submissionDigest } from './submission.ts';

/** Sends that wait for a person (docs/decisions/0071). */
export interface ApprovalDeps extends DbAndClock {
  readonly accept: Accept;
  readonly threads: Threads;
  /** The installation's URL, without a slash at the end. */
  publicUrl(): string;
}

/** From the request on, decided or not (ms). A person is asked on a working day. */
export const APPROVAL_MS = 24 * 60 * 60 * 1000;
/** 10 MiB of attachments as base64, with room for the texts. */
export const APPROVAL_BODY_MAX_BYTES = 16 * 1024 * 1024;
/** Requests that wait, of one key and of the account. */
export const WAITING_PER_KEY_MAX = 20;
export const WAITING_MAX = 100;
/** Bytes of all sends that wait in an account. */
export const WAITING_MAX_BYTES = 128 * 1024 * 1024;

export interface PersonAsked {
  readonly send: SendRequest;
  readonly contentType: string | undefined;
  /** As it came. */
  readonly body: Buffer;
  /** The key that asks. */
  readonly source: AuditSource;
}

/** Throws approval_required once it is stored, approval_refused, and as a send does. */
export type AskPerson = (asked: PersonAsked) => Promise<Accepted>;

export function createAskPerson(deps: ApprovalDeps): AskPerson {
  return async (asked) => {
    const { send } = asked;
    const { tenantId } = send;
    const replay = await deps.accept.replayOf(send);
    if (replay !== null) return replay;
    const before = await deps.db.asTenant(tenantId, (tx) =>
      findAsked(tx, tenantId, send.idempotencyKey, deps.clock.now()),
    );
    if (before !== null) return answerAsked(deps, send, before);
    if (asked.body.length > APPROVAL_BODY_MAX_BYTES)
      throw apiError(
        'payload_too_large',
        `A send that a person approves has at most ${APPROVAL_BODY_MAX_BYTES} bytes.`,
      );
    // A send that would be refused needs no approval.
    const [prepared] = await deps.accept.prepare(send);
    const stored = await deps.db.asTenant(tenantId, (tx) => store(deps, tx, asked, prepared!));
    if (stored !== null) throw required(deps, stored);
    // Another request with this key was faster.
    const other = await deps.db.asTenant(tenantId, (tx) =>
      findAsked(tx, tenantId, send.idempotencyKey, deps.clock.now()),
    );
    if (other === null) throw apiError('unavailable');
    return answerAsked(deps, send, other);
  };
}

async function answerAsked(
  deps: ApprovalDeps,
  send: SendRequest,
  { approvalId, state, requestSha256 }: NonNullable<Awaited<ReturnType<typeof findAsked>>>,
): Promise<Accepted> {
  if (!equalBytes(requestSha256, hashOfRequest(send))) throw apiError('idempotency_key_reused');
  if (state === 'waiting') throw required(deps, approvalId);
  if (state === 'refused') throw apiError('approval_refused');
  // Approved since the first read.
  const replay = await deps.accept.replayOf(send);
  if (replay === null) throw apiError('accepted_before');
  return replay;
}

/** The id of the request; null: its key has one already. Throws approval_required over the limits. */
async function store(
  { publicUrl, clock }: ApprovalDeps,
  tx: Tx,
  { send, contentType, body, source }: PersonAsked,
  prepared: PreparedMessage,
): Promise<string | null> {
  const { tenantId, idempotencyKey } = send;
  const { apiKeyId } = send.key!;
  const now = clock.now();
  if (!(await lockKey(tx, tenantId, apiKeyId))) throw apiError('unauthorized');
  await forgetEndedApprovals(tx, tenantId, now);
  const waiting = await countWaiting(tx, tenantId, apiKeyId);
  if (
    waiting.ofKey >= WAITING_PER_KEY_MAX ||
    waiting.all >= WAITING_MAX ||
    waiting.bytes + body.length > WAITING_MAX_BYTES
  )
    throw apiError(
      'approval_required',
      `Too many sends wait for a person already, and this one was not added. Send it again once somebody has decided some at ${publicUrl()}/portal/approvals`,
    );
  const approvalId = newId(now.getTime());
  const { submission } = send;
  const to = submission.recipients?.map(({ mailbox }) => mailbox) ?? [submission.recipient];
  const { headerFrom: from, subject, certified } = prepared;
  const inserted = await insertApproval(tx, tenantId, {
    ...{ approvalId, apiKeyId, apiKeyName: source.name, idempotencyKey, body },
    requestSha256: hashOfRequest(send),
    mediaType: isRfc822(contentType) ? RFC822 : 'application/json',
    summary: { from, to: to.map(mailboxText), subject, certified },
    ...{ askedAt: now, endsAt: new Date(now.getTime() + APPROVAL_MS) },
  });
  if (!inserted) return null;
  const after = { size_bytes: body.length, recipients: to.length };
  const entry = { action: 'ask_to_send', target: approvalId, after };
  await appendAccountEvent(tx, tenantId, source, entry, now);
  return approvalId;
}

function required({ publicUrl }: ApprovalDeps, approvalId: string) {
  return apiError(
    'approval_required',
    `Nothing was sent: a person must approve it first. Then send the same with the same Idempotency-Key. The person does so at ${publicUrl()}/portal/approvals/${approvalId}`,
  );
}

function hashOfRequest({ digest, submission }: SendRequest): Buffer {
  const certified = submission.certified === null ? 2 : Number(submission.certified);
  return Buffer.from(
    sha256(Buffer.concat([digest ?? submissionDigest(submission), Buffer.from([certified])])),
  );
}

export function readWaiting({ db, clock }: ApprovalDeps, tenantId: string): Promise<ApprovalRow[]> {
  return db.asTenant(tenantId, (tx) => listWaiting(tx, tenantId, clock.now(), WAITING_MAX));
}

export async function readApproval(
  { db, clock }: ApprovalDeps,
  tenantId: string,
  approvalId: string,
): Promise<ApprovalRow> {
  const row = isId(approvalId)
    ? await db.asTenant(tenantId, (tx) => findApproval(tx, tenantId, approvalId, clock.now()))
    : null;
  if (row !== null) return row;
  throw apiError(
    'not_found',
    `No such request. Requests to send are kept for ${APPROVAL_MS / 3_600_000} hours.`,
  );
}

export interface Waiting {
  readonly send: SendRequest;
  /** One for each recipient. */
  readonly messages: readonly PreparedMessage[];
  readonly shown: string;
}

/** The message that would be sent now. Throws conflict if it no longer waits, and as a send does. */
export async function readWaitingSend(
  deps: ApprovalDeps,
  tenantId: string,
  approvalId: string,
): Promise<Waiting> {
  const send = await readSend(deps, tenantId, approvalId);
  const messages = await deps.accept.prepare(send);
  const { submissionDigest: digest, template, certified } = messages[0]!;
  return { send, messages, shown: shownOf({ digest, template, certified }) };
}

/** As the key asked for it, under the key's present restrictions. Throws conflict. */
async function readSend(deps: ApprovalDeps, tenantId: string, approvalId: string): Promise<SendRequest> {
  const { db, clock, threads } = deps;
  const found = await db.asTenant(tenantId, async (tx) => {
    const asked = await findAskedRequest(tx, tenantId, approvalId, clock.now());
    return asked && { asked, key: await findKey(tx, tenantId, asked.apiKeyId) };
  });
  if (found === null) throw decidedBefore();
  const { asked, key } = found;
  if (key === null || key.revokedAt !== null)
    throw apiError('conflict', 'The API key that asked was revoked: this can only be refused.');
  const { apiKeyId, senders, needsApproval } = key;
  const read = await readSubmission(threads, tenantId, asked.mediaType, asked.body);
  const { idempotencyKey } = asked;
  return { tenantId, idempotencyKey, key: { apiKeyId, senders, needsApproval }, ...read };
}

export interface Person {
  readonly tenantId: string;
  readonly source: AuditSource;
}

/**
 * Sends the message that the person saw, named by `shown`; its decision, the message and the audit entry are
 * one transaction. A repeat has the same result. Throws not_found, conflict, and as a send does: then it
 * still waits.
 */
export async function approveSend(
  deps: ApprovalDeps,
  { tenantId, source }: Person,
  approvalId: string,
  shown: string,
): Promise<ApprovalRow> {
  const before = await readApproval(deps, tenantId, approvalId);
  if (before.state === 'approved') return before;
  if (before.state === 'refused') throw decidedBefore();
  const send = await readSend(deps, tenantId, approvalId).catch(async (error) => {
    // Approved meanwhile.
    const now = await readApproval(deps, tenantId, approvalId);
    if (now.state !== 'approved') throw error;
    return null;
  });
  if (send === null) return readApproval(deps, tenantId, approvalId);
  const { message, kind } = await deps.accept({ ...send, approval: { approvalId, shown, by: source } });
  // Its key had this message already, by another way.
  if (kind === 'replayed')
    await deps.db.asTenant(tenantId, (tx) =>
      recordApproval(tx, tenantId, {
        approvalId,
        by: source,
        at: deps.clock.now(),
        messageId: message.id,
      }),
    );
  return readApproval(deps, tenantId, approvalId);
}

/** Repeated, the same. Throws not_found, conflict. */
export async function refuseSend(
  deps: ApprovalDeps,
  { tenantId, source }: Person,
  approvalId: string,
): Promise<ApprovalRow> {
  const at = deps.clock.now();
  await readApproval(deps, tenantId, approvalId);
  await deps.db.asTenant(tenantId, async (tx) => {
    const decision = { approvalId, state: 'refused', by: source.name, at, messageId: null } as const;
    if (!(await decideApproval(tx, tenantId, decision))) return;
    await appendAccountEvent(tx, tenantId, source, { action: 'refuse_send', target: approvalId }, at);
  });
  const row = await readApproval(deps, tenantId, approvalId);
  if (row.state !== 'refused') throw decidedBefore();
  return row;
}

/** Deletes expired approvals, and those of revoked keys. */
export function sweepApprovals({ db, clock }: Pick<ApprovalDeps, 'db' | 'clock'>, tenantId: string) {
  return db.asTenant(tenantId, (tx) => forgetEndedApprovals(tx, tenantId, clock.now()));
}
