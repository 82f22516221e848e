import { compareKey, parseAddress } from '@acuse/mail/mailbox';
import { apiError } from '../errors.ts';
import type { Accept, Accepted } from '../messages/accept.ts';
import { readIdempotencyKey } from '../messages/idempotency-key.ts';
import { type Rfc822Submission, readRfc822 } from '../messages/rfc822.ts';
import { asApiError } from '../messages/submission.ts';
import type { IncomingMail } from '../platform/smtp/smtp-listener.ts';

/** The field that names the idempotency key; it goes no further. */
const KEY_FIELD = 'idempotency-key';

/**
 * Accepts a message that came by SMTP, as `POST /v1/messages` accepts message/rfc822: resolves when it is on disk. The evidence's
 * submission is the content as it was sent, dots unstuffed. Throws ApiError; then nothing was stored.
 */
export async function submit(accept: Accept, tenantId: string, mail: IncomingMail): Promise<Accepted> {
  const read = readRfc822(mail.raw);
  const idempotencyKey = keyOf(read);
  requireSameRecipient(read, mail.forwardPaths);
  return accept({ tenantId, idempotencyKey, submission: read.submission, submissionBytes: mail.raw });
}

/** A client that sends a message again sends the same Message-ID: without a key of the sender's own that is what makes it one. */
function keyOf({ header }: Rfc822Submission): string {
  const values = (key: string) => header.filter((field) => field.key === key).map((field) => field.value);
  const given = values(KEY_FIELD);
  if (given.length > 1)
    throw apiError('invalid_idempotency_key', 'The message has more than one Idempotency-Key header.');
  const [key = values('message-id')[0] ?? ''] = given;
  if (key === '')
    throw apiError(
      'missing_idempotency_key',
      'The message has neither a Message-ID nor an Idempotency-Key header: one of them makes retries safe.',
    );
  try {
    return readIdempotencyKey(key);
  } catch (cause) {
    throw apiError(
      'invalid_idempotency_key',
      'The Idempotency-Key header, or without it the Message-ID, must be 1 to 255 printable ASCII characters.',
      { cause },
    );
  }
}

/** The To is what is proven and shown; a message for somebody else would be neither. */
function requireSameRecipient({ submission }: Rfc822Submission, forwardPaths: readonly string[]): void {
  const to = compareKey(submission.headerTo);
  const same = forwardPaths.every((path) => asApiError(() => compareKey(parseAddress(path))) === to);
  if (!same) throw apiError('invalid_address', 'RCPT TO must name the address in To, and no other.');
}
