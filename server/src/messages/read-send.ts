import { withoutBlindCopies } from '@acuse/mail/blind-copies';
import { apiError } from '../errors.ts';
import { parseJson } from '../platform/http/json-body.ts';
import type { Threads } from '../platform/threads/threads.ts';
import { LARGE_BYTES, readLargeJson, readLargeRfc822 } from './large-bodies.ts';
import type { SendRequest } from './prepare.ts';
import { readRfc822 } from './rfc822.ts';
import { readJsonSubmission, submittedBytes } from './submission.ts';

export const RFC822 = 'message/rfc822';

export type Read = Pick<SendRequest, 'submission' | 'submissionBytes'>;

/** The body of a send. `bytes` may be unusable afterwards. */
export async function readSubmission(
  threads: Threads,
  tenantId: string,
  contentType: string | undefined,
  bytes: Buffer,
): Promise<Read> {
  if (bytes.length < LARGE_BYTES) return readSmall(contentType, bytes);
  if (isRfc822(contentType)) {
    const large = await readLargeRfc822(threads, tenantId, bytes);
    return { submission: large.message.submissionForAll(), submissionBytes: large.bytes };
  }
  const large = await readLargeJson(threads, tenantId, bytes);
  return { submission: large.message, submissionBytes: large.bytes };
}

export function isRfc822(contentType: string | undefined): boolean {
  return contentType?.toLowerCase().startsWith(RFC822) === true;
}

function readSmall(contentType: string | undefined, bytes: Buffer): Read {
  if (isRfc822(contentType))
    return { submission: readRfc822(bytes).submissionForAll(), submissionBytes: withoutBlindCopies(bytes) };
  const parsed = parseJson(bytes);
  if (!parsed.ok) throw apiError('invalid_body', parsed.problem);
  const submission = readJsonSubmission(parsed.value);
  return { submission, submissionBytes: submittedBytes(parsed.value, bytes) };
}
