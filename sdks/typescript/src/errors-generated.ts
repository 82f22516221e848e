// Generated from contract/openapi.json by sdks/generate/typescript.mjs: do not edit.

/** Every code of the API, with what it means. */
export const ERROR_CODES = {
  /** A send without `Idempotency-Key` (a batch item without `idempotency_key`). */
  missing_idempotency_key: 'missing_idempotency_key',
  /** The key is not 1 to 255 printable ASCII characters. */
  invalid_idempotency_key: 'invalid_idempotency_key',
  /**
   * Malformed JSON or UTF-8, a field given twice, of the wrong type or unknown, a value too long or with
   * control characters, or a send without text, html or template.
   */
  invalid_body: 'invalid_body',
  /**
   * From, To, Cc, Bcc, Reply-To, a sender or a suppressed address is empty or malformed, or there are too
   * many.
   */
  invalid_address: 'invalid_address',
  /**
   * A query parameter or header is not valid or not known, or a cursor belongs to another list or other
   * filters.
   */
  invalid_parameter: 'invalid_parameter',
  /** `messages` is empty. */
  empty_batch: 'empty_batch',
  /** `messages` has more than 100 items, or they have more than 1 000 recipients in all. */
  batch_too_large: 'batch_too_large',
  /** The API key is missing, malformed, unknown or revoked: the answer is the same in each case. */
  unauthorized: 'unauthorized',
  /** The key is valid but lacks the scope of the endpoint, or would grant a scope that it lacks. */
  insufficient_scope: 'insufficient_scope',
  /**
   * The API key needs a person's approval for each send: the message ends with the portal's address for
   * it. Or too many wait already, or the send did not come by `POST /v1/messages`: then nothing was
   * stored, and the message says so.
   */
  approval_required: 'approval_required',
  /** A person refused this send. */
  approval_refused: 'approval_refused',
  /** The account is suspended. */
  tenant_suspended: 'tenant_suspended',
  /** The account is deactivated. */
  tenant_deactivated: 'tenant_deactivated',
  /**
   * Portal and admin console only: the request comes from another origin, under another host name, or
   * over http from another machine.
   */
  cross_origin_refused: 'cross_origin_refused',
  /** Portal and admin console only: this needs an authentication of the last 10 minutes. */
  reauthentication_required: 'reauthentication_required',
  /**
   * No such path or resource, or it belongs to another account. Also content of a message that was
   * deleted: the message says when and why.
   */
  not_found: 'not_found',
  /** No template with this `template_id` or name in the account. */
  template_not_found: 'template_not_found',
  /** The path exists under other methods. */
  method_not_allowed: 'method_not_allowed',
  /** The request did not arrive whole in time, or its body came too slowly; nothing was accepted. */
  request_timeout: 'request_timeout',
  /**
   * A domain, sender or name already exists, a domain is verified for another account, the resource's
   * state forbids the change, the account has reached a limit, or a message can no longer be retried,
   * moved or cancelled.
   */
  conflict: 'conflict',
  /**
   * The body exceeds the endpoint's limit, the encoded message 25 MiB, or its size times its recipients
   * 64 MiB.
   */
  payload_too_large: 'payload_too_large',
  /**
   * Content-Type is not one that the endpoint takes, its charset is not UTF-8, or there is a
   * Content-Encoding.
   */
  unsupported_media_type: 'unsupported_media_type',
  /**
   * The From domain is not verified for the account, or not ready where the account requires that
   * (`require_ready_domains`).
   */
  domain_not_verified: 'domain_not_verified',
  /** The From address is not an approved, active sender of its domain. */
  from_not_approved: 'from_not_approved',
  /**
   * A recipient is on the suppression list of the account or of the operator; nothing of the request was
   * queued.
   */
  recipient_suppressed: 'recipient_suppressed',
  /** The template cannot be rendered with these variables. */
  template_render_error: 'template_render_error',
  /** Sealing a message that was sent with `certified=false`. */
  not_certified: 'not_certified',
  /** The message is not sealed in a Merkle batch yet, or it is plain and never will be. */
  missing_proof_data: 'missing_proof_data',
  /**
   * The key was used with a different submission, or another `certified` (left out: the default of then);
   * nothing was sent.
   */
  idempotency_key_reused: 'idempotency_key_reused',
  /**
   * A message with this key was accepted; its record was deleted after its days, or lost in a restore.
   * Nothing was sent.
   */
  accepted_before: 'accepted_before',
  /**
   * `send_at` is in the past by more than five minutes, or more than 30 days after the message is
   * accepted.
   */
  send_at_out_of_range: 'send_at_out_of_range',
  /**
   * Portal and admin console only: a one-time link that is wrong, was used already or has expired: the
   * answer is the same in each case.
   */
  invalid_link: 'invalid_link',
  /**
   * Portal and admin console only: the password is shorter than 12 characters, longer than 256, or easy
   * to guess.
   */
  weak_password: 'weak_password',
  /** The monthly quota that the message names, "certified" or "plain", is exhausted. */
  quota_exceeded: 'quota_exceeded',
  /** Too many requests with this key or from this address, or too many failed authentications from it. */
  rate_limited: 'rate_limited',
  /** Something failed in the service. */
  internal_error: 'internal_error',
  /**
   * The service is unavailable or overloaded. The request may have been accepted, unless the message says
   * that nothing was.
   */
  unavailable: 'unavailable',
} as const;

/** Advice about each. */
export const FIXES: Readonly<Record<string, string>> = {
  missing_idempotency_key:
    'Send a unique key per message, and the same key when you retry.',
  invalid_idempotency_key:
    'Use a UUID or an id of your own.',
  invalid_body:
    'The message names the field.',
  invalid_address:
    'Give `local@domain` or `Name <local@domain>`; the message names the field and its place in a list.',
  invalid_parameter:
    'The message names it, and the parameters that there are.',
  empty_batch:
    'Send 1 to 100 items.',
  batch_too_large:
    'Split the batch.',
  unauthorized:
    'Send `Authorization: Bearer <API key>`.',
  insufficient_scope:
    'Use a key with the scope that the message names.',
  approval_required:
    'Have a person decide, then send the same again with the same Idempotency-Key.',
  approval_refused:
    'Ask what to change; send that with a new key.',
  tenant_suspended:
    'Contact the operator.',
  tenant_deactivated:
    'Contact the operator.',
  cross_origin_refused:
    'Open the console under its own address; put TLS in front of it.',
  reauthentication_required:
    'Confirm with password, code or passkey, then repeat the request.',
  not_found:
    'Check the path and the id.',
  template_not_found:
    'List them with `GET /v1/templates`; for a name, the message says which come near.',
  method_not_allowed:
    'Use one that `Allow` names; where people look for a method that does not exist (`DELETE` of a message), the message says what to do instead.',
  request_timeout:
    'Send it again.',
  conflict:
    'The message says which.',
  payload_too_large:
    'Send less; see docs/limits.md.',
  unsupported_media_type:
    '`application/json`; a send also takes `message/rfc822`, and an import of suppressions `text/csv`.',
  domain_not_verified:
    '`POST /v1/domains`, publish its records, `POST /v1/domains/{id}/verify`.',
  from_not_approved:
    '`POST /v1/senders` with the address or `*@domain`.',
  recipient_suppressed:
    'To send to it again, remove it with `DELETE /v1/suppressions/{id}`. To send to the other recipients, set `skip_suppressed` to true.',
  template_render_error:
    'The message names the part, the variable and the place.',
  not_certified:
    'None for this message: send it again with `certified=true`.',
  missing_proof_data:
    'Retry a few seconds after the send. A plain message has none: send it again with `certified=true`.',
  idempotency_key_reused:
    'Use a new key for a new message.',
  accepted_before:
    'Nothing, if this is a retry: the message was accepted. Use a new key for a new message.',
  send_at_out_of_range:
    'Check its offset from UTC; leave it out to send at once.',
  invalid_link:
    'Ask for a new one.',
  weak_password:
    'Use several unrelated words.',
  quota_exceeded:
    'Wait for the next UTC month, or ask the operator to raise it.',
  rate_limited:
    'Retry after the seconds in `Retry-After`.',
  internal_error:
    'Retry with the same `Idempotency-Key`; if it keeps failing, report the `Request-Id`.',
  unavailable:
    'Retry after the seconds in `Retry-After`, with the same `Idempotency-Key`.',
};

/** The HTTP status of each. */
export const STATUSES: Readonly<Record<string, number>> = {
  missing_idempotency_key: 400,
  invalid_idempotency_key: 400,
  invalid_body: 400,
  invalid_address: 400,
  invalid_parameter: 400,
  empty_batch: 400,
  batch_too_large: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  approval_required: 403,
  approval_refused: 403,
  tenant_suspended: 403,
  tenant_deactivated: 403,
  cross_origin_refused: 403,
  reauthentication_required: 403,
  not_found: 404,
  template_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  domain_not_verified: 422,
  from_not_approved: 422,
  recipient_suppressed: 422,
  template_render_error: 422,
  not_certified: 422,
  missing_proof_data: 422,
  idempotency_key_reused: 422,
  accepted_before: 422,
  send_at_out_of_range: 422,
  invalid_link: 422,
  weak_password: 422,
  quota_exceeded: 429,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
};
