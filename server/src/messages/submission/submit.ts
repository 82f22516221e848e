import { withoutBlindCopies } from '@acuse/mail/blind-copies';
import { messageIdOf } from '@acuse/mail/header-text';
import { compareKey, type Mailbox, parseAddress } from '@acuse/mail/mailbox';
import { apiError } from '../../errors.ts';
import { asApiError } from '../../input-errors.ts';
import type { Principal } from '../../platform/http/http.ts';
import { newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { IncomingMail } from '../../platform/smtp/smtp-types.ts';
import type { Threads } from '../../platform/threads/threads.ts';
import type { Accept, Accepted } from '../accept.ts';
import { recipientsOfSize } from '../copies.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS, readIdempotencyKey } from '../idempotency-key.ts';
import { LARGE_BYTES, type LargeMessage, readLargeRfc822 } from '../large-bodies.ts';
import { sendingKey } from '../prepare.ts';
import { namesOthers } from '../recipients.ts';
import { type Rfc822Message, readRfc822 } from '../rfc822.ts';
import type { Submission } from '../submission.ts';

const KEY_FIELD = 'idempotency-key';

/**
 * As `POST /v1/messages` with message/rfc822: one message per recipient, all or none, durable when resolved.
 * The committed submission is the content as sent, unstuffed, without Bcc. Throws ApiError; then nothing was
 * stored.
 */
export async function submit(
  { accept, threads }: { accept: Accept; threads: Threads },
  { tenantId, ...by }: Pick<Principal, 'tenantId' | 'actor' | 'narrowing'>,
  mail: IncomingMail,
  now: Date,
): Promise<Accepted[]> {
  const recipients = distinct(
    mail.forwardPaths.map((path) => asApiError(() => parseAddress(path, 'RCPT TO'))),
  );
  const most = recipientsOfSize(mail.raw.length);
  if (recipients.length > most) {
    const atOnce = most === 1 ? 'one recipient' : `${most} recipients`;
    throw apiError(
      'payload_too_large',
      `A message of this size can go to ${atOnce} at a time: send it again to the others, or declare SIZE in MAIL FROM.`,
    );
  }
  const { message: read, bytes: submissionBytes } = await readMail(threads, tenantId, mail.raw);
  const unique = newId(now.getTime());
  const clientKey = keyOf(read) ?? unique;
  return accept.all(
    recipients.map((recipient) => {
      const given = read.submissionFor(recipient);
      // Copies share a Message-ID. RFC 6409 §8.3
      const messageId = given.messageId ?? messageIdOf(unique, given.headerFrom.domain);
      const submission = { ...given, messageId };
      const idempotencyKey = keyFor(clientKey, submission);
      return { tenantId, idempotencyKey, submission, submissionBytes, key: sendingKey(by) };
    }),
  );
}

/** A thread reads a copy of a large one: the receiver still counts the original. */
async function readMail(
  threads: Threads,
  tenantId: string,
  raw: Uint8Array,
): Promise<LargeMessage<Rfc822Message>> {
  if (raw.length < LARGE_BYTES) return { message: readRfc822(raw), bytes: withoutBlindCopies(raw) };
  return readLargeRfc822(threads, tenantId, Uint8Array.from(raw));
}

function distinct(recipients: readonly Mailbox[]): Mailbox[] {
  return [...new Map(recipients.map((mailbox) => [compareKey(mailbox), mailbox])).values()];
}

/**
 * Retries repeat the Message-ID, which serves as the key. Null: no key, so each is a new message. RFC 6409
 * §8.3
 */
function keyOf({ header }: Rfc822Message): string | null {
  const values = (key: string) => header.filter((field) => field.key === key).map((field) => field.value);
  const given = values(KEY_FIELD);
  if (given.length > 1)
    throw apiError('invalid_idempotency_key', 'The message has more than one Idempotency-Key header.');
  const [key = values('message-id')[0] ?? ''] = given;
  if (key === '') return null;
  try {
    return readIdempotencyKey(key);
  } catch (cause) {
    throw apiError(
      'invalid_idempotency_key',
      'The Idempotency-Key header (or, if absent, Message-ID) must be 1 to 255 printable ASCII characters.',
      { cause },
    );
  }
}

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;
/** Key characters kept before the digest. */
const KEPT_CHARS = 160;

/**
 * The client's key for the named mailbox, as over HTTP; with the recipient appended for all others: a client
 * may send to them later.
 */
function keyFor(clientKey: string, submission: Submission): string {
  if (!namesOthers(submission)) return clientKey;
  const key = `${clientKey} ${compareKey(submission.recipient)}`;
  if (key.length <= IDEMPOTENCY_KEY_MAX_CHARS && PRINTABLE_ASCII.test(key)) return key;
  return `${clientKey.slice(0, KEPT_CHARS)} sha256:${Buffer.from(sha256(Buffer.from(key))).toString('hex')}`;
}
