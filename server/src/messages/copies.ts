import { messageIdOf } from '@acuse/mail/header-text';
import { apiError } from '../errors.ts';
import { newId } from '../platform/ids.ts';
import { LARGE_BYTES } from './large-bodies.ts';
import { type CopyRoom, type PrepareDeps, prepareMessage, type SendRequest } from './prepare.ts';
import type { PreparedMessage } from './prepared.ts';
import { mailboxText, type Recipient } from './recipients.ts';
import { submissionDigest } from './submission.ts';

/** Total bytes of copies, per message or batch: each is composed, hashed and stored separately. */
export const COPIES_MAX_BYTES = 64 * 1024 * 1024;

export function recipientsOfSize(sizeBytes: number): number {
  return Math.max(1, Math.floor(COPIES_MAX_BYTES / Math.max(1, sizeBytes)));
}

/**
 * One message per recipient, from one rendering and with one Message-ID. Throws as prepareMessage, and
 * payload_too_large beyond the room for copies.
 */
export async function prepareCopies(deps: PrepareDeps, request: SendRequest): Promise<PreparedMessage[]> {
  const room = request.copyRoom ?? { bytes: COPIES_MAX_BYTES };
  let taken = 0;
  try {
    return await prepareEach(deps, request, (recipients, sizeBytes) => {
      taken += takeRoom(room, recipients, sizeBytes);
    });
  } catch (error) {
    // A refused one takes no room.
    room.bytes += taken;
    throw error;
  }
}

async function prepareEach(
  deps: PrepareDeps,
  request: SendRequest,
  take: (recipients: number, sizeBytes: number) => void,
): Promise<PreparedMessage[]> {
  const { submission, submissionBytes } = request;
  const recipients = submission.recipients!;
  take(recipients.length, submissionBytes.length);
  const messageId =
    submission.messageId ?? messageIdOf(newId(deps.clock.now().getTime()), submission.headerFrom.domain);
  const digest = submissionDigest(submission);
  const once = renderingOnce(deps);
  const prepared: PreparedMessage[] = [];
  let { certified } = submission;
  let sinceTurn = 0;
  for (const [position, { mailbox }] of recipients.entries()) {
    const copy = { ...submission, recipient: mailbox, messageId, certified };
    const message = await prepareMessage(once, { ...request, submission: copy, digest });
    if (position === 0) take(recipients.length, Math.max(0, message.raw.length - submissionBytes.length));
    certified = message.certified;
    const of = prepared[0]?.messageId ?? message.messageId;
    const { skipSuppressed = null } = submission;
    prepared.push({ ...message, copy: { of, position, skipSuppressed } });
    // Yields between small ones, which are composed here.
    sinceTurn += message.raw.length;
    if (sinceTurn >= LARGE_BYTES) {
      sinceTurn = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return prepared;
}

function takeRoom(room: CopyRoom, recipients: number, sizeBytes: number): number {
  const bytes = recipients * sizeBytes;
  if (bytes > room.bytes) {
    const most = Math.floor(room.bytes / sizeBytes);
    const fix =
      most > 1
        ? `this message can go to ${most} recipients of this request: send it to the others in another one`
        : 'send this message to one recipient per request';
    throw apiError(
      'payload_too_large',
      `The message's size times its recipients exceeds ${COPIES_MAX_BYTES / (1024 * 1024)} MiB per request: ${fix}.`,
    );
  }
  room.bytes -= bytes;
  return bytes;
}

/** All copies use the same template version. */
function renderingOnce(deps: PrepareDeps): PrepareDeps {
  let rendered: ReturnType<PrepareDeps['renderTemplate']> | undefined;
  return {
    ...deps,
    renderTemplate(...asked) {
      rendered ??= deps.renderTemplate(...asked);
      return rendered;
    },
  };
}

interface PresentedCopy {
  id: string;
  recipient: string;
  field: Recipient['field'];
}

export interface SkippedRecipient {
  recipient: string;
  field: Recipient['field'];
  reason: 'recipient_suppressed';
}

export interface PresentedCopies {
  copies?: PresentedCopy[];
  skipped?: SkippedRecipient[];
}

/** `ids`: in recipient order; null: skipped. */
export function presentCopies(
  recipients: readonly Recipient[],
  ids: readonly (string | null)[],
): PresentedCopies {
  const first = ids.findIndex((id) => id !== null);
  const copies: PresentedCopy[] = [];
  const skipped: SkippedRecipient[] = [];
  for (const [at, { mailbox, field }] of recipients.entries()) {
    const id = ids[at] ?? null;
    const recipient = mailboxText(mailbox);
    if (id === null) skipped.push({ recipient, field, reason: 'recipient_suppressed' });
    else if (at !== first) copies.push({ id, recipient, field });
  }
  return skipped.length === 0 ? { copies } : { copies, skipped };
}
