import { MailInputError } from '@acuse/mail/input-error';
import { ApiError, type ApiErrorCode } from '../../errors.ts';
import { isUnavailable } from '../../platform/database/failures.ts';
import type { SmtpAnswer } from '../../platform/smtp/smtp-types.ts';

/**
 * SMTP replies for the API's error codes; pure. A refusal is temporary (4yz) if the same message may pass
 * later.
 */

interface Refusal {
  readonly code: number;
  /** RFC 3463 §2 and IANA's registry of enhanced status codes. */
  readonly enhanced: string;
}

export const REFUSALS = {
  // The content is at fault: 554 5.6.0, other or undefined media error.
  invalid_body: { code: 554, enhanced: '5.6.0' },
  missing_idempotency_key: { code: 554, enhanced: '5.6.0' },
  invalid_idempotency_key: { code: 554, enhanced: '5.6.0' },
  idempotency_key_reused: { code: 554, enhanced: '5.6.0' },
  accepted_before: { code: 554, enhanced: '5.6.0' },
  payload_too_large: { code: 552, enhanced: '5.3.4' },
  // A recipient's address; a sender's is 5.1.7, see below.
  invalid_address: { code: 553, enhanced: '5.1.3' },
  // Policy: delivery not authorized.
  domain_not_verified: { code: 550, enhanced: '5.7.1' },
  from_not_approved: { code: 550, enhanced: '5.7.1' },
  recipient_suppressed: { code: 550, enhanced: '5.7.1' },
  quota_exceeded: { code: 452, enhanced: '4.7.1' },
  rate_limited: { code: 451, enhanced: '4.7.1' },
  // Changed between AUTH and MAIL. One answer for all. RFC 4954 §6
  unauthorized: { code: 530, enhanced: '5.7.0' },
  tenant_suspended: { code: 530, enhanced: '5.7.0' },
  tenant_deactivated: { code: 530, enhanced: '5.7.0' },
  insufficient_scope: { code: 530, enhanced: '5.7.0' },
  internal_error: { code: 451, enhanced: '4.3.0' },
  unavailable: { code: 451, enhanced: '4.3.0' },
} as const satisfies Partial<Record<ApiErrorCode, Refusal>>;

const BAD_SENDER: Refusal = { code: 553, enhanced: '5.1.7' };
const SENDER_FIELDS = new Set(['from', 'sender', 'reply-to']);
const LOGIN_REQUIRED: SmtpAnswer = { code: 530, text: '5.7.0 Authentication required' };

/** A line has 512 octets with code and CRLF. RFC 5321 §4.5.3.1.5 */
const MAX_TEXT_CHARS = 480;

/** Null: our own fault. */
export function refusalOf(error: unknown): SmtpAnswer | null {
  if (!(error instanceof ApiError))
    return isUnavailable(error)
      ? answerOf(REFUSALS.unavailable, 'The service cannot accept this message now: retry later')
      : null;
  const refusal = find(error);
  if (refusal === null || error.code === 'internal_error') return null;
  return refusal.code === LOGIN_REQUIRED.code ? LOGIN_REQUIRED : answerOf(refusal, error.message);
}

function find(error: ApiError): Refusal | null {
  const { cause, code } = error;
  const isSender = cause instanceof MailInputError && SENDER_FIELDS.has(cause.field);
  if (code === 'invalid_address' && isSender) return BAD_SENDER;
  return code in REFUSALS ? REFUSALS[code as keyof typeof REFUSALS] : null;
}

/** ASCII: without SMTPUTF8 clients need not read more. RFC 6531 §3.7.4 */
function answerOf({ code, enhanced }: Refusal, message: string): SmtpAnswer {
  return { code, text: asReplyText(`${enhanced} ${message}`) };
}

export function asReplyText(text: string): string {
  return text.slice(0, MAX_TEXT_CHARS).replace(/[^\x20-\x7e]/gu, '?');
}
