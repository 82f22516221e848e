import { jcsBytes } from '@acuse/evidence/jcs';
import { parseMailbox } from '@acuse/mail/mailbox';
import { apiError } from '../errors.ts';
import type { Db } from '../platform/database/db.ts';
import type { RequestTrace } from '../platform/http/request-trace.ts';
import { isId } from '../platform/ids.ts';
import { sha256 } from '../platform/sha256.ts';
import type { Threads } from '../platform/threads/threads.ts';
import type { Accept, Accepted } from './accept.ts';
import type { ArchivedContents } from './archived-contents.ts';
import { LARGE_BYTES, readLargeRfc822 } from './large-bodies.ts';
import type { SendingKey } from './prepare.ts';
import {
  type ContentDeletion,
  findContentDeletion,
  findRaw,
  findSentBefore,
  type SentBefore,
} from './read-store.ts';
import { type Rfc822Message, readRfc822 } from './rfc822.ts';
import type { MessageStatus } from './status.ts';
import type { Submission } from './submission.ts';

export interface ResendDeps {
  readonly db: Db;
  readonly accept: Accept;
  readonly threads: Threads;
  readonly archived: ArchivedContents;
}

interface ResendRequest {
  readonly tenantId: string;
  readonly messageId: string;
  readonly idempotencyKey: string;
  readonly key: SendingKey | null;
  readonly trace?: RequestTrace | null;
}

/**
 * A new message with old content and recipient, and its own Message-ID and Date, so that mailboxes do not
 * drop it. Domain, sender, suppressions and quota are checked again. Throws not_found; conflict while the old
 * one is pending or without content; and as a send.
 */
export async function resendMessage(deps: ResendDeps, request: ResendRequest): Promise<Accepted> {
  const { tenantId, messageId, idempotencyKey, key, trace = null } = request;
  const { before, raw: stored, deletion } = await readBefore(deps.db, tenantId, messageId);
  const digest = resendDigest(messageId);
  const raw = stored ?? (deletion === null ? await readArchived(deps.archived, tenantId, messageId) : null);
  if (raw === null) {
    const made = await deps.accept.madeBefore({ tenantId, idempotencyKey, digest });
    if (made !== null) return made;
    throw contentGone(deletion);
  }
  refuseUnfinished(messageId, before.status);
  if (before.asked)
    throw apiError(
      'conflict',
      'The message asks its recipient for an acknowledgement, with a link that is for that message alone. To ask again, send it as a new message.',
    );
  const message = await readMessage(deps.threads, tenantId, raw);
  const { certified, tags, metadata } = before;
  const submission = message.submissionFor(parseMailbox(before.header_to));
  return deps.accept({
    tenantId,
    idempotencyKey,
    digest,
    submission: { ...withoutDate(submission), certified, tags, metadata, messageId: null },
    submissionBytes: askedFor(messageId, before),
    template: templateOf(before),
    key,
    trace,
  });
}

/** The same message means the same request. */
function resendDigest(messageId: string): Uint8Array {
  return sha256(jcsBytes(['acuse/resend/v1', messageId]));
}

/** The submission in its evidence: the old message's id, tags and metadata. docs/evidence-format.md */
function askedFor(messageId: string, { tags, metadata, template_id: templateId }: SentBefore): Uint8Array {
  const template = templateId === null ? {} : { template_id: templateId };
  return jcsBytes({ resend_of: messageId, tags, metadata, ...template });
}

async function readBefore(
  db: Db,
  tenantId: string,
  messageId: string,
): Promise<{ before: SentBefore; raw: Buffer | null; deletion: ContentDeletion | null }> {
  if (!isId(messageId)) throw apiError('not_found');
  return db.asTenant(tenantId, async (tx) => {
    const before = await findSentBefore(tx, tenantId, messageId);
    if (before === null) throw apiError('not_found');
    const raw = await findRaw(tx, tenantId, messageId);
    return {
      before,
      raw,
      deletion: raw === null ? await findContentDeletion(tx, tenantId, messageId) : null,
    };
  });
}

async function readArchived(archived: ArchivedContents, tenantId: string, messageId: string) {
  return (await archived.read(tenantId, messageId))?.raw ?? null;
}

async function readMessage(threads: Threads, tenantId: string, raw: Buffer): Promise<Rfc822Message> {
  if (raw.length < LARGE_BYTES) return readRfc822(raw);
  return (await readLargeRfc822(threads, tenantId, raw)).message;
}

function withoutDate(submission: Submission): Submission {
  if (submission.content.kind !== 'given') return submission;
  const { date: _date, ...content } = submission.content;
  return { ...submission, content };
}

function templateOf({ template_id: templateId, template_version: version }: SentBefore) {
  return templateId === null || version === null ? null : { templateId, version };
}

function refuseUnfinished(messageId: string, status: MessageStatus): void {
  if (status === 'scheduled')
    throw apiError('conflict', 'The message is scheduled: to send it now, PATCH it with {"send_at": null}.');
  if (status === 'queued' || status === 'deferred')
    throw apiError(
      'conflict',
      `The message is ${status}, and still being delivered. To try it now: POST /v1/messages/${messageId}/retry; to send it again from the start, cancel it first.`,
    );
}

function contentGone(deletion: ContentDeletion | null): Error {
  const when = deletion === null ? '' : ` at ${deletion.deleted_at.toISOString()}`;
  return apiError(
    'conflict',
    `The content of this message was deleted${when}, so it cannot be sent again: send a new message.`,
  );
}
