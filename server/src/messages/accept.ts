import { equalBytes } from '@acuse/evidence/bytes';
import type { MailWarning } from '@acuse/mail/warning';
import { ApiError, apiError } from '../errors.ts';
import type { Db } from '../platform/database/db.ts';
import { isUnavailable } from '../platform/database/failures.ts';
import { UNAVAILABLE_RETRY_SECONDS } from '../platform/http/http-errors.ts';
import { createTimeLimit } from '../platform/time-limit.ts';
import { inBoth, TERMS } from '../wording.ts';
import { type CommitDeps, type CommitOutcome, commitMessages, keysOf, type Unit } from './commit.ts';
import { prepareCopies, presentCopies } from './copies.ts';
import { COMMIT_WAIT_MAX_MS, createGroupCommit } from './group-commit.ts';
import { type PrepareDeps, prepareMessage, type SendRequest } from './prepare.ts';
import type { PreparedMessage } from './prepared.ts';
import { type PresentedMessage, type PromiseOf, presentAccepted, presentMessage } from './present.ts';
import { findClaim, findMessage, listCopies } from './read-store.ts';
import type { Recipient } from './recipients.ts';
import { createSingleFlight } from './single-flight.ts';
import { isSpentKey } from './spent-key-store.ts';
import { hashOfKey } from './spent-keys.ts';
import { type Submission, submissionDigest } from './submission.ts';

interface AcceptDeps extends PrepareDeps, CommitDeps {
  db: Db;
  promiseOf: PromiseOf;
  flushes: number;
  /** After each commit. `waits`: some messages are queued for a worker. */
  onAccepted(waits: boolean): void;
  onFlush?(items: number, ms: number): void;
  /** The domain of the mail with the code for an acknowledgement; null or absent: none is sent here. */
  systemDomain?(): Promise<{ readonly name: string; readonly isVerified: boolean } | null>;
}

/** `replayed`: the key was used with the same submission; the message costs no quota. */
export type Accepted = { kind: 'created' | 'replayed'; message: PresentedMessage };

export interface Accept {
  /** One send, durable when resolved. Throws ApiError; then nothing was stored. */
  (request: SendRequest): Promise<Accepted>;
  /**
   * Several sends of one account, all or none; earlier ones are replays. Throws ApiError; then none was
   * stored.
   */
  all(requests: readonly SendRequest[]): Promise<Accepted[]>;
  /** The earlier result of this key and digest; null: none. */
  madeBefore(
    request: Required<Pick<SendRequest, 'tenantId' | 'idempotencyKey' | 'digest'>>,
  ): Promise<Accepted | null>;
  /** The earlier result of this request; null: its key is unused. Throws as a send does. */
  replayOf(request: SendRequest): Promise<Accepted | null>;
  /** The messages that would be stored, one for each recipient; stores nothing. Throws as a send does. */
  prepare(request: SendRequest): Promise<readonly PreparedMessage[]>;
  drain(): Promise<void>;
  waiting(): number;
  /** Longest wait of the account's sends (ms). */
  waitedMs(tenantId: string): number;
}

/**
 * Citus holds all sends while it ends the move of an account: for some seconds, or more than ten on a busy
 * machine (ms). Clients mostly wait for 30 s or longer.
 */
const MOVE_WAIT_MAX_MS = 20_000;
/** Longest wait for a commit on a distributed database (ms). */
const MOVE_ANSWER_MS = 25_000;

function createCommits(deps: AcceptDeps) {
  let distributed = false;
  const group = createGroupCommit<Unit, CommitOutcome[]>({
    async commit(units) {
      distributed = await deps.db.distributed();
      return commitMessages(deps, units);
    },
    oneLane: () => distributed,
    waitMaxMs: () => (distributed ? MOVE_WAIT_MAX_MS : COMMIT_WAIT_MAX_MS),
    keysOf: (unit) => unit.map(keyOf),
    // The tenant's quota and sequence rows.
    laneOf: (unit) => unit[0]!.tenantId,
    sizeOf: (unit) => unit.reduce((bytes, item) => bytes + item.raw.length + item.submission.length, 0),
    countOf: (unit) => unit.length,
    flushes: deps.flushes,
    isUnavailable,
    ...(deps.onFlush && { onFlush: deps.onFlush }),
  });
  const submit = createSingleFlight<Unit, CommitOutcome[]>({
    submit: group.submit,
    keyOf: (unit) => (unit.length === 1 || unit[0]!.copy !== null ? keyOf(unit[0]!) : null),
    // A claimed key holds for all who sent it; a refused one is free for the next.
    follow: ([outcome]) => (outcome!.kind === 'refused' ? null : [{ kind: 'claimed' }]),
  });
  // The commit continues in the background.
  const inTime = createTimeLimit(COMMIT_ANSWER_MS, unknownOutcome);
  const inMoveTime = createTimeLimit(MOVE_ANSWER_MS, unknownOutcome);
  return { group, submitInTime: (unit: Unit) => (distributed ? inMoveTime : inTime)(submit(unit)) };
}

/** Retries after a concurrent claim; more means a client that sends twice at once. */
const UNIT_TRIES = 3;

function keyOf({ tenantId, idempotencyKey }: PreparedMessage): string {
  return `${tenantId} ${idempotencyKey}`;
}

export function createAccept(deps: AcceptDeps): Accept {
  const { group, submitInTime } = createCommits(deps);

  function one(request: SendRequest): Promise<Accepted> {
    const accepted = needsPerson(request) ? unapproved(deps, request) : alone(request);
    if (!mayWarn(request.submission)) return accepted;
    return accepted.then((each) => warned(deps, each, request));
  }

  async function alone(request: SendRequest): Promise<Accepted> {
    if (request.submission.recipients !== undefined) return storeCopies(deps, request, commit);
    const prepared = await prepareMessage(deps, request).catch((error) =>
      replayInsteadOf(deps, request, error),
    );
    if ('kind' in prepared) return prepared;
    const [outcome] = await commit([prepared]);
    if (outcome!.kind === 'accepted') return created(prepared, outcome!);
    const replay = await findReplay(deps, request, prepared.submissionDigest);
    if (replay === null) throw unknownOutcome();
    return replayOrOurs(deps, replay, new Set([prepared.messageId]));
  }

  async function all(requests: readonly SendRequest[]): Promise<Accepted[]> {
    if (requests.length === 1) return [await one(requests[0]!)];
    if (requests.some(needsPerson)) throw apiError('approval_required', ONLY_ONE_BY_ONE);
    const ours = new Set<string>();
    for (let attempt = 1; attempt <= UNIT_TRIES; attempt++) {
      // A key of another submission refuses all.
      const replays = await Promise.all(requests.map((request) => findReplay(deps, request, null)));
      const stored = await storeAll(
        requests.filter((_, at) => replays[at] === null),
        ours,
      );
      if (stored === null) continue;
      let next = 0;
      const accepted = replays.map((replay) =>
        replay === null ? stored[next++]! : replayOrOurs(deps, replay, ours),
      );
      return Promise.all(accepted.map((each, at) => warned(deps, each, requests[at]!)));
    }
    throw unknownOutcome();
  }

  /** Null: a key was claimed meanwhile, or a lost commit had succeeded: look all up again. */
  async function storeAll(requests: readonly SendRequest[], ours: Set<string>): Promise<Accepted[] | null> {
    if (requests.length === 0) return [];
    const unit: PreparedMessage[] = [];
    // One by one, to save memory.
    for (const request of requests) unit.push(await prepareMessage(deps, request));
    for (const { messageId } of unit) ours.add(messageId);
    const outcomes = await commit(unit);
    const accepted = outcomes.flatMap((outcome, at) =>
      outcome.kind === 'accepted' ? [created(unit[at]!, outcome)] : [],
    );
    return accepted.length === unit.length ? accepted : null;
  }

  /** Throws the unit's refusal. */
  async function commit(unit: Unit): Promise<CommitOutcome[]> {
    const outcomes = await submitInTime(unit).catch((error) => settleUnknown(deps, unit, error));
    const refused = outcomes.find((outcome) => outcome.kind === 'refused');
    if (refused !== undefined) throw refused.error;
    const accepted = outcomes.filter((outcome) => outcome.kind === 'accepted');
    if (accepted.length > 0) deps.onAccepted(accepted.some(({ begun }) => !begun));
    return outcomes;
  }

  return Object.assign(one, {
    all,
    madeBefore: (request: Parameters<Accept['madeBefore']>[0]) =>
      lookUp(deps, request, () => request.digest, { certified: null }),
    replayOf: (request: SendRequest) => replayOf(deps, request),
    prepare: (request: SendRequest) => prepareAll(deps, request),
    drain: group.drain,
    waiting: () => group.waiting,
    waitedMs: group.waitedMs,
  });
}

async function replayOf(deps: AcceptDeps, request: SendRequest): Promise<Accepted | null> {
  const replay = await findReplay(deps, request, null);
  return replay && warned(deps, replay, request);
}

async function prepareAll(deps: AcceptDeps, request: SendRequest): Promise<readonly PreparedMessage[]> {
  if (request.submission.recipients !== undefined) return prepareCopies(deps, request);
  return [await prepareMessage(deps, request)];
}

/** Its key sends only what a person approved. */
function needsPerson({ key, approval }: SendRequest): boolean {
  return key?.needsApproval === true && approval === undefined;
}

const ONLY_ONE_BY_ONE =
  'A person must approve each send of this API key, and POST /v1/messages alone asks for it: send it there.';

/** A repeated send still gets its first answer. */
async function unapproved(deps: AcceptDeps, request: SendRequest): Promise<Accepted> {
  const replay = await findReplay(deps, request, null);
  if (replay === null) throw apiError('approval_required', ONLY_ONE_BY_ONE);
  return replay;
}

/** Other answers need no read. */
const mayWarn = ({ warnings, asking }: Submission) => warnings.length > 0 || asking !== undefined;

/** Warnings, repeated in replays. */
async function warned(
  deps: AcceptDeps,
  { kind, message }: Accepted,
  { submission: { warnings, asking } }: SendRequest,
): Promise<Accepted> {
  const unsent = asking === undefined ? [] : await codesNotSent(deps);
  const all = [...warnings, ...unsent];
  return all.length === 0 ? { kind, message } : { kind, message: { ...message, warnings: all } };
}

/** It is committed: what cannot be looked up is not warned of. */
async function codesNotSent({ systemDomain }: AcceptDeps): Promise<MailWarning[]> {
  const domain = await systemDomain?.().catch(() => null);
  if (!domain || domain.isVerified) return [];
  const message = `No code can be sent, so that the recipient cannot confirm on the page: the operator has not verified ${domain.name}, the domain of ACUSE_SYSTEM_SENDER. Until then the recipient can only acknowledge by mail.`;
  return [{ code: 'codes_not_sent', field: 'acknowledgement', message }];
}

/** Several recipients, one key, all or none. */
async function storeCopies(
  deps: AcceptDeps,
  request: SendRequest,
  commit: (unit: Unit) => Promise<CommitOutcome[]>,
): Promise<Accepted> {
  // Before copies are composed.
  const known = await findReplay(deps, request, null);
  if (known !== null) return known;
  const unit = await prepareCopies(deps, request);
  const outcomes = await commit(unit);
  if (outcomes.some(({ kind }) => kind === 'accepted'))
    return createdCopies(request.submission.recipients!, unit, outcomes);
  const replay = await findReplay(deps, request, unit[0]!.submissionDigest);
  if (replay === null) throw unknownOutcome();
  return replayOrOurs(deps, replay, new Set(unit.map(({ messageId }) => messageId)));
}

/** Our own stored commit with a lost answer is new to the caller. */
function replayOrOurs(deps: AcceptDeps, replay: Accepted, ours: ReadonlySet<string>): Accepted {
  if (!ours.has(replay.message.id)) return replay;
  deps.onAccepted(true);
  return { ...replay, kind: 'created' };
}

function created(prepared: PreparedMessage, { sealing }: CommitOutcome & { kind: 'accepted' }): Accepted {
  return {
    kind: 'created',
    message: presentAccepted(prepared, sealing?.leaf ?? null, () => sealing!.promise),
  };
}

/** The first recipient that was not skipped, and the others. */
function createdCopies(
  recipients: readonly Recipient[],
  unit: Unit,
  outcomes: readonly CommitOutcome[],
): Accepted {
  const ids = unit.map(({ messageId }, at) => (outcomes[at]!.kind === 'accepted' ? messageId : null));
  const first = ids.findIndex((id) => id !== null);
  const outcome = outcomes[first] as CommitOutcome & { kind: 'accepted' };
  const { kind, message } = created(unit[first]!, outcome);
  return { kind, message: { ...message, ...presentCopies(recipients, ids) } };
}

/** Replays are answered before checks that may have changed: a refusal looks the key up first. */
async function replayInsteadOf(deps: AcceptDeps, request: SendRequest, refusal: unknown): Promise<Accepted> {
  if (!(refusal instanceof ApiError) || refusal.code === 'invalid_body') throw refusal;
  const replay = await findReplay(deps, request, null);
  if (replay === null) throw refusal;
  return replay;
}

/** Null: unused key. Reads with a barrier. Throws idempotency_key_reused, accepted_before, unavailable. */
async function findReplay(
  deps: AcceptDeps,
  request: SendRequest,
  digest: Uint8Array | null,
): Promise<Accepted | null> {
  const { submission } = request;
  return lookUp(deps, request, () => digest ?? request.digest ?? submissionDigest(submission), submission);
}

/** `digestOf`: computed only for a known key. */
async function lookUp(
  deps: AcceptDeps,
  { tenantId, idempotencyKey }: Pick<SendRequest, 'tenantId' | 'idempotencyKey'>,
  digestOf: () => Uint8Array,
  submission: Pick<Submission, 'certified' | 'recipients'>,
): Promise<Accepted | null> {
  const read = deps.db.asTenant(tenantId, async (tx) => {
    const claim = await findClaim(tx, tenantId, idempotencyKey);
    if (claim === null) {
      if (await isSpentKey(tx, tenantId, hashOfKey(tenantId, idempotencyKey)))
        throw apiError('accepted_before');
      return null;
    }
    if (!equalBytes(claim.submission_digest, digestOf())) throw apiError('idempotency_key_reused');
    const row = await findMessage(tx, tenantId, claim.message_id);
    if (row === null) return null;
    // Omitted: the default at that time, which may have changed; given: must match.
    if (submission.certified !== null && submission.certified !== row.certified)
      throw reusedForOther(row.certified);
    const message = presentMessage(row, deps.promiseOf);
    const { recipients } = submission;
    if (recipients === undefined) return { kind: 'replayed' as const, message };
    const copies = await listCopies(tx, tenantId, claim.message_id);
    const messageAt = new Map(copies.map((copy) => [copy.position, copy.message_id]));
    const ids = recipients.map((_, at) => messageAt.get(at) ?? null);
    return { kind: 'replayed' as const, message: { ...message, ...presentCopies(recipients, ids) } };
  });
  return read.catch(rethrowUnknown);
}

function reusedForOther(certified: boolean): ApiError {
  return apiError(
    'idempotency_key_reused',
    inBoth`This ${TERMS.idempotencyKey} was used for a message with certified ${String(certified)}; nothing was sent. Use a new key for a new message.`,
  );
}

/** Look-ups after a lost commit answer, and the pause between them (ms). */
const SETTLE_TRIES = 3;
const SETTLE_WAIT_MS = 300;

/** Longest wait for a commit (ms): longer than a disk stall, shorter than a missing standby. */
const COMMIT_ANSWER_MS = 10_000;

const UNKNOWN = inBoth`The outcome is not known yet. The message may have been accepted: ${TERMS.retryLater} with the same ${TERMS.idempotencyKey}, which makes one message in either case.`;

function unknownOutcome(cause?: unknown): ApiError {
  return apiError('unavailable', UNKNOWN, { cause, retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS });
}

/** Unknown: it may have been accepted. */
function rethrowUnknown(error: unknown): never {
  throw error instanceof ApiError || !isUnavailable(error) ? error : unknownOutcome(error);
}

/**
 * After a lost commit answer, reads the message back with a barrier. Throws unavailable if the database does
 * not answer.
 */
async function settleUnknown(deps: AcceptDeps, unit: Unit, error: unknown): Promise<CommitOutcome[]> {
  if (error instanceof ApiError || !isUnavailable(error)) throw error;
  const { tenantId, idempotencyKey } = unit[0]!;
  for (let attempt = 1; attempt <= SETTLE_TRIES; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_WAIT_MS * attempt));
    const claim = await findClaim(deps.db, tenantId, idempotencyKey).catch(() => undefined);
    if (claim === undefined) continue;
    // No claim proves nothing: the commit may still be running.
    if (claim === null) break;
    await deps.db.keepKeys(() => keysOf(unit));
    return unit.map(() => ({ kind: 'claimed' }));
  }
  throw unknownOutcome(error);
}
