import { inBoth, STEPS, TERMS, type Wording } from './wording.ts';

/**
 * The one table of API errors. Each code has one HTTP status; OpenAPI and docs/errors.md are held to it by a
 * test. `command`: what the command line says, where that differs.
 */
export const API_ERRORS = {
  missing_idempotency_key: {
    status: 400,
    message: 'Send an Idempotency-Key header (1 to 255 printable ASCII characters): it makes retries safe.',
    command: 'Give an --idempotency-key (1 to 255 printable ASCII characters): it makes retries safe.',
  },
  invalid_idempotency_key: {
    status: 400,
    ...inBoth`${TERMS.idempotencyKey} must be 1 to 255 printable ASCII characters.`,
  },
  invalid_body: { status: 400, message: 'The request body is not valid.' },
  invalid_address: { status: 400, message: 'The address is empty or malformed.' },
  invalid_parameter: { status: 400, message: 'A query or path parameter is not valid.' },
  empty_batch: { status: 400, message: 'messages is empty: send 1 to 100 items.' },
  batch_too_large: { status: 400, message: 'messages has more than 100 items: split the batch.' },
  unauthorized: {
    status: 401,
    message:
      'API key missing or invalid: send "Authorization: Bearer acuse_…" with a key that is not revoked.',
    command: 'API key missing or invalid: give --key or ACUSE_API_KEY a key that is not revoked.',
  },
  insufficient_scope: {
    status: 403,
    message: 'The API key lacks the scope that this endpoint requires.',
    command: 'The API key lacks the scope that this command requires.',
  },
  approval_required: {
    status: 403,
    message: 'A person must approve this send in the portal; nothing was sent.',
  },
  approval_refused: {
    status: 403,
    message: 'A person refused this send in the portal; nothing was sent.',
  },
  tenant_suspended: { status: 403, message: 'The account is suspended: contact the operator.' },
  tenant_deactivated: { status: 403, message: 'The account is deactivated: contact the operator.' },
  cross_origin_refused: {
    status: 403,
    message: 'The request does not come from a page of this console: open it under its own address.',
  },
  reauthentication_required: {
    status: 403,
    message: 'This needs an authentication of the last 10 minutes: confirm who you are, then repeat it.',
  },
  not_found: {
    status: 404,
    message: 'No such resource. Check the path and the id.',
    command: 'No such resource. Check the id.',
  },
  template_not_found: {
    status: 404,
    ...inBoth`No template with this id in this account: ${STEPS.findTemplate}.`,
  },
  method_not_allowed: {
    status: 405,
    message: 'This path does not support that method: use one that Allow lists.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time and nothing was accepted: send it again.',
  },
  conflict: { status: 409, message: 'The resource already exists.' },
  payload_too_large: {
    status: 413,
    message: "The body exceeds this endpoint's limit.",
    command: 'The message is too large.',
  },
  unsupported_media_type: { status: 415, message: 'Send Content-Type application/json or message/rfc822.' },
  domain_not_verified: { status: 422, message: 'The From domain is not verified for this account.' },
  from_not_approved: {
    status: 422,
    message: 'The From address is not an approved, active sender of its verified domain.',
  },
  recipient_suppressed: {
    status: 422,
    message: 'The recipient is on the suppression list; nothing was queued.',
  },
  template_render_error: { status: 422, message: 'The template could not be rendered with these variables.' },
  not_certified: {
    status: 422,
    message: 'The message was sent with certified=false and can never be sealed.',
  },
  missing_proof_data: {
    status: 422,
    message:
      'The message is not sealed in a Merkle batch. A certified message will be: retry shortly. A plain message never is.',
  },
  idempotency_key_reused: {
    status: 422,
    ...inBoth`This ${TERMS.idempotencyKey} was used with a different submission; nothing was sent. Use a new key for a new message.`,
  },
  accepted_before: {
    status: 422,
    ...inBoth`A message with this ${TERMS.idempotencyKey} was accepted before, and its record is no longer here; nothing was sent.`,
  },
  send_at_out_of_range: {
    status: 422,
    message: 'send_at must be in the future, and at most 30 days after the message is accepted.',
  },
  invalid_link: {
    status: 422,
    message: 'The link is wrong, was used already or has expired: ask for a new one.',
  },
  weak_password: {
    status: 422,
    message: 'The password is too short or easy to guess: use at least 12 characters that nobody expects.',
  },
  quota_exceeded: {
    status: 429,
    message: 'Monthly quota exhausted: wait for the next UTC month, or ask the operator to raise it.',
  },
  rate_limited: { status: 429, ...inBoth`Too many requests: ${TERMS.retryLater}.` },
  internal_error: {
    status: 500,
    ...inBoth`Something failed on our side. Retry with the same ${TERMS.idempotencyKey}; if it keeps failing, report the Request-Id.`,
  },
  unavailable: {
    status: 503,
    ...inBoth`The service is unavailable. The request may have been accepted: ${TERMS.retryLater} with the same ${TERMS.idempotencyKey}.`,
  },
} as const satisfies Record<string, { status: number; message: string; command?: string }>;

export type ApiErrorCode = keyof typeof API_ERRORS;

/** Errors of routes behind a session's door only. */
export const DOOR_ERRORS = [
  'cross_origin_refused',
  'reauthentication_required',
  'invalid_link',
  'weak_password',
] as const satisfies readonly ApiErrorCode[];

/** A refusal that is sent to the caller: `{"error":{"code","message"}}` with the code's own status. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly status: number;
  /** The message for who typed a command. */
  readonly command: string;
  /** Seconds for Retry-After, where the code has one. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ApiErrorCode,
    text: string | Wording,
    options: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    const { message, command } = typeof text === 'string' ? { message: text, command: text } : text;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.command = command;
    this.name = 'ApiError';
    this.code = code;
    this.status = API_ERRORS[code].status;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  toBody(to: keyof Wording = 'message'): { error: { code: ApiErrorCode; message: string } } {
    return { error: { code: this.code, message: this[to] } };
  }
}

export function apiError(
  code: ApiErrorCode,
  text: string | Wording = ofTable(code),
  options: { cause?: unknown; retryAfterSeconds?: number } = {},
): ApiError {
  return new ApiError(code, text, options);
}

function ofTable(code: ApiErrorCode): Wording {
  const { message, command = message }: { message: string; command?: string } = API_ERRORS[code];
  return { message, command };
}

/** Seconds that a caller is asked to wait while the service is overloaded. */
const OVERLOADED_RETRY_SECONDS = 1;

const NOT_ACCEPTED = apiError(
  'unavailable',
  inBoth`The service is overloaded and nothing was accepted: ${TERMS.retryLater} with the same ${TERMS.idempotencyKey}.`,
  { retryAfterSeconds: OVERLOADED_RETRY_SECONDS },
);

/**
 * For what is refused before anything was started, because there is too much to do: it is certain that it was
 * not accepted. One object for all, because thousands are needed per second when there is least time to make
 * them.
 */
export function notAccepted(): ApiError {
  return NOT_ACCEPTED;
}
