import { equalBytes } from '@acuse/evidence/bytes';
import { ApiError, apiError } from '../errors.ts';
import { type Db, isUnavailable } from '../platform/database/db.ts';
import { UNAVAILABLE_RETRY_SECONDS } from '../platform/http/http-errors.ts';
import { type CommitDeps, type CommitOutcome, commitMessages } from './commit.ts';
import { createGroupCommit } from './group-commit.ts';
import { type PrepareDeps, prepareMessage, type SendRequest } from './prepare.ts';
import type { PreparedMessage } from './prepared.ts';
import { type PresentedMessage, type PromiseOf, presentAccepted, presentMessage } from './present.ts';
import { findClaim, findMessage } from './read-store.ts';
import { submissionDigest } from './submission.ts';

export interface AcceptDeps extends PrepareDeps, CommitDeps {
  db: Db;
  promiseOf: PromiseOf;
  /** Groups in flight at once. */
  flushes: number;
  /** Told after each commit, so that delivery and sealing look at once. */
  onAccepted(): void;
  onFlush?(items: number, ms: number): void;
}

/** `replayed`: the key was used before with the same submission; the message is as it is now and cost no quota. */
export type Accepted = { kind: 'created' | 'replayed'; message: PresentedMessage };

export interface Accept {
  /** One send: find replays, prepare, commit. Resolves when it is on disk. Throws ApiError; then nothing was stored. */
  (request: SendRequest): Promise<Accepted>;
  /** Waits until no commit is waiting or in flight. */
  drain(): Promise<void>;
  /** Sends that wait for a commit now. */
  waiting(): number;
}

export function createAccept(deps: AcceptDeps): Accept {
  const group = createGroupCommit<PreparedMessage, CommitOutcome>({
    commit: (items) => commitMessages(deps, items),
    keyOf: (item) => `${item.tenantId} ${item.idempotencyKey}`,
    // The rows that count a tenant's quota and number its messages.
    laneOf: (item) => item.tenantId,
    sizeOf: (item) => item.raw.length + item.submission.length,
    flushes: deps.flushes,
    isUnavailable,
    ...(deps.onFlush && { onFlush: deps.onFlush }),
  });

  async function accept(request: SendRequest): Promise<Accepted> {
    const prepared = await prepareMessage(deps, request).catch((error) =>
      replayInsteadOf(deps, request, error),
    );
    if ('kind' in prepared) return prepared;
    const outcome = await group.submit(prepared).catch((error) => settleUnknown(deps, prepared, error));
    switch (outcome.kind) {
      case 'accepted':
        deps.onAccepted();
        return { kind: 'created', message: presentSent(prepared, outcome.sealing) };
      case 'claimed': {
        const replay = await findReplay(deps, request, prepared.submissionDigest);
        if (replay === null)
          throw apiError('unavailable', undefined, { retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS });
        // Our own commit, whose answer had been lost: nobody was told of this message before.
        if (replay.message.id === prepared.messageId) {
          deps.onAccepted();
          return { ...replay, kind: 'created' };
        }
        return replay;
      }
      case 'refused':
        throw outcome.error;
    }
  }

  return Object.assign(accept, { drain: group.drain, waiting: () => group.waiting });
}

function presentSent(
  prepared: PreparedMessage,
  sealing: (CommitOutcome & { kind: 'accepted' })['sealing'],
): PresentedMessage {
  return presentAccepted(prepared, sealing?.leaf ?? null, () => sealing!.promise);
}

/** A replay answers before anything that may have changed since: a refused send is looked up before its refusal is told. */
async function replayInsteadOf(deps: AcceptDeps, request: SendRequest, refusal: unknown): Promise<Accepted> {
  if (!(refusal instanceof ApiError) || refusal.code === 'invalid_body') throw refusal;
  const replay = await findReplay(deps, request, null);
  if (replay === null) throw refusal;
  return replay;
}

/** The message that the key made before, or null. Throws idempotency_key_reused when it was made of another submission. */
async function findReplay(
  deps: AcceptDeps,
  request: SendRequest,
  digest: Uint8Array | null,
): Promise<Accepted | null> {
  const { tenantId, idempotencyKey, submission } = request;
  return deps.db.asTenant(tenantId, async (tx) => {
    const claim = await findClaim(tx, tenantId, idempotencyKey);
    if (claim === null) return null;
    const asked = digest ?? submissionDigest(submission);
    if (!equalBytes(claim.submission_digest, asked)) throw apiError('idempotency_key_reused');
    const row = await findMessage(tx, tenantId, claim.message_id);
    return row === null ? null : { kind: 'replayed' as const, message: presentMessage(row, deps.promiseOf) };
  });
}

/** How often, and how far apart (ms), a commit whose answer was lost is looked up before the caller is told to retry. */
const SETTLE_TRIES = 3;
const SETTLE_WAIT_MS = 300;

const UNKNOWN =
  'The database broke off while it stored this, and whether it did is not known yet: retry after the time in Retry-After with the same Idempotency-Key, which makes one message in either case.';

/** The connection broke during the commit: whether it happened is on disk. Throws unavailable when the database does not say. */
async function settleUnknown(
  deps: AcceptDeps,
  prepared: PreparedMessage,
  error: unknown,
): Promise<CommitOutcome> {
  if (error instanceof ApiError || !isUnavailable(error)) throw error;
  const { tenantId, idempotencyKey } = prepared;
  for (let attempt = 1; attempt <= SETTLE_TRIES; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_WAIT_MS * attempt));
    const claim = await findClaim(deps.db, tenantId, idempotencyKey).catch(() => undefined);
    if (claim === undefined) continue;
    // No claim now is no proof: the database may still be at it.
    if (claim === null) break;
    return { kind: 'claimed' };
  }
  throw apiError('unavailable', UNKNOWN, { cause: error, retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS });
}
