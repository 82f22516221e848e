<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse;

/** The codes of errors known when this library was made; others may come. */
final class ErrorCode
{
    /** A send without `Idempotency-Key` (a batch item without `idempotency_key`). */
    public const MISSING_IDEMPOTENCY_KEY = 'missing_idempotency_key';
    /** The key is not 1 to 255 printable ASCII characters. */
    public const INVALID_IDEMPOTENCY_KEY = 'invalid_idempotency_key';
    /**
     * Malformed JSON or UTF-8, a field given twice, of the wrong type or unknown, a value too long or
     * with control characters, or a send without text, html or template.
     */
    public const INVALID_BODY = 'invalid_body';
    /**
     * From, To, Cc, Bcc, Reply-To, a sender or a suppressed address is empty or malformed, or there
     * are too many.
     */
    public const INVALID_ADDRESS = 'invalid_address';
    /**
     * A query parameter or header is not valid or not known, or a cursor belongs to another list or
     * other filters.
     */
    public const INVALID_PARAMETER = 'invalid_parameter';
    /** `messages` is empty. */
    public const EMPTY_BATCH = 'empty_batch';
    /** `messages` has more than 100 items, or they have more than 1 000 recipients in all. */
    public const BATCH_TOO_LARGE = 'batch_too_large';
    /** The API key is missing, malformed, unknown or revoked: the answer is the same in each case. */
    public const UNAUTHORIZED = 'unauthorized';
    /** The key is valid but lacks the scope of the endpoint, or would grant a scope that it lacks. */
    public const INSUFFICIENT_SCOPE = 'insufficient_scope';
    /**
     * The API key needs a person's approval for each send: the message ends with the portal's address
     * for it. Or too many wait already, or the send did not come by `POST /v1/messages`: then nothing
     * was stored, and the message says so.
     */
    public const APPROVAL_REQUIRED = 'approval_required';
    /** A person refused this send. */
    public const APPROVAL_REFUSED = 'approval_refused';
    /** The account is suspended. */
    public const TENANT_SUSPENDED = 'tenant_suspended';
    /** The account is deactivated. */
    public const TENANT_DEACTIVATED = 'tenant_deactivated';
    /**
     * Portal and admin console only: the request comes from another origin, under another host name,
     * or over http from another machine.
     */
    public const CROSS_ORIGIN_REFUSED = 'cross_origin_refused';
    /** Portal and admin console only: this needs an authentication of the last 10 minutes. */
    public const REAUTHENTICATION_REQUIRED = 'reauthentication_required';
    /**
     * No such path or resource, or it belongs to another account. Also content of a message that was
     * deleted: the message says when and why.
     */
    public const NOT_FOUND = 'not_found';
    /** No template with this `template_id` or name in the account. */
    public const TEMPLATE_NOT_FOUND = 'template_not_found';
    /** The path exists under other methods. */
    public const METHOD_NOT_ALLOWED = 'method_not_allowed';
    /** The request did not arrive whole in time, or its body came too slowly; nothing was accepted. */
    public const REQUEST_TIMEOUT = 'request_timeout';
    /**
     * A domain, sender or name already exists, a domain is verified for another account, the
     * resource's state forbids the change, the account has reached a limit, or a message can no longer
     * be retried, moved or cancelled.
     */
    public const CONFLICT = 'conflict';
    /**
     * The body exceeds the endpoint's limit, the encoded message 25 MiB, or its size times its
     * recipients 64 MiB.
     */
    public const PAYLOAD_TOO_LARGE = 'payload_too_large';
    /**
     * Content-Type is not one that the endpoint takes, its charset is not UTF-8, or there is a
     * Content-Encoding.
     */
    public const UNSUPPORTED_MEDIA_TYPE = 'unsupported_media_type';
    /**
     * The From domain is not verified for the account, or not ready where the account requires that
     * (`require_ready_domains`).
     */
    public const DOMAIN_NOT_VERIFIED = 'domain_not_verified';
    /** The From address is not an approved, active sender of its domain. */
    public const FROM_NOT_APPROVED = 'from_not_approved';
    /**
     * A recipient is on the suppression list of the account or of the operator; nothing of the request
     * was queued.
     */
    public const RECIPIENT_SUPPRESSED = 'recipient_suppressed';
    /** The template cannot be rendered with these variables. */
    public const TEMPLATE_RENDER_ERROR = 'template_render_error';
    /** Sealing a message that was sent with `certified=false`. */
    public const NOT_CERTIFIED = 'not_certified';
    /** The message is not sealed in a Merkle batch yet, or it is plain and never will be. */
    public const MISSING_PROOF_DATA = 'missing_proof_data';
    /**
     * The key was used with a different submission, or another `certified` (left out: the default of
     * then); nothing was sent.
     */
    public const IDEMPOTENCY_KEY_REUSED = 'idempotency_key_reused';
    /**
     * A message with this key was accepted; its record was deleted after its days, or lost in a
     * restore. Nothing was sent.
     */
    public const ACCEPTED_BEFORE = 'accepted_before';
    /**
     * `send_at` is in the past by more than five minutes, or more than 30 days after the message is
     * accepted.
     */
    public const SEND_AT_OUT_OF_RANGE = 'send_at_out_of_range';
    /**
     * Portal and admin console only: a one-time link that is wrong, was used already or has expired:
     * the answer is the same in each case.
     */
    public const INVALID_LINK = 'invalid_link';
    /**
     * Portal and admin console only: the password is shorter than 12 characters, longer than 256, or
     * easy to guess.
     */
    public const WEAK_PASSWORD = 'weak_password';
    /** The monthly quota that the message names, "certified" or "plain", is exhausted. */
    public const QUOTA_EXCEEDED = 'quota_exceeded';
    /**
     * Too many requests with this key or from this address, or too many failed authentications from
     * it.
     */
    public const RATE_LIMITED = 'rate_limited';
    /** Something failed in the service. */
    public const INTERNAL_ERROR = 'internal_error';
    /**
     * The service is unavailable or overloaded. The request may have been accepted, unless the message
     * says that nothing was.
     */
    public const UNAVAILABLE = 'unavailable';

    /** @internal code => HTTP status, what to do about it */
    public const FIXES = [
        'missing_idempotency_key' => [400, 'Send a unique key per message, and the same key when you retry.'],
        'invalid_idempotency_key' => [400, 'Use a UUID or an id of your own.'],
        'invalid_body' => [400, 'The message names the field.'],
        'invalid_address' => [400, 'Give `local@domain` or `Name <local@domain>`; the message names the field and its place in a list.'],
        'invalid_parameter' => [400, 'The message names it, and the parameters that there are.'],
        'empty_batch' => [400, 'Send 1 to 100 items.'],
        'batch_too_large' => [400, 'Split the batch.'],
        'unauthorized' => [401, 'Send `Authorization: Bearer <API key>`.'],
        'insufficient_scope' => [403, 'Use a key with the scope that the message names.'],
        'approval_required' => [403, 'Have a person decide, then send the same again with the same Idempotency-Key.'],
        'approval_refused' => [403, 'Ask what to change; send that with a new key.'],
        'tenant_suspended' => [403, 'Contact the operator.'],
        'tenant_deactivated' => [403, 'Contact the operator.'],
        'cross_origin_refused' => [403, 'Open the console under its own address; put TLS in front of it.'],
        'reauthentication_required' => [403, 'Confirm with password, code or passkey, then repeat the request.'],
        'not_found' => [404, 'Check the path and the id.'],
        'template_not_found' => [404, 'List them with `GET /v1/templates`; for a name, the message says which come near.'],
        'method_not_allowed' => [405, 'Use one that `Allow` names; where people look for a method that does not exist (`DELETE` of a message), the message says what to do instead.'],
        'request_timeout' => [408, 'Send it again.'],
        'conflict' => [409, 'The message says which.'],
        'payload_too_large' => [413, 'Send less; see docs/limits.md.'],
        'unsupported_media_type' => [415, '`application/json`; a send also takes `message/rfc822`, and an import of suppressions `text/csv`.'],
        'domain_not_verified' => [422, '`POST /v1/domains`, publish its records, `POST /v1/domains/{id}/verify`.'],
        'from_not_approved' => [422, '`POST /v1/senders` with the address or `*@domain`.'],
        'recipient_suppressed' => [422, 'To send to it again, remove it with `DELETE /v1/suppressions/{id}`. To send to the other recipients, set `skip_suppressed` to true.'],
        'template_render_error' => [422, 'The message names the part, the variable and the place.'],
        'not_certified' => [422, 'None for this message: send it again with `certified=true`.'],
        'missing_proof_data' => [422, 'Retry a few seconds after the send. A plain message has none: send it again with `certified=true`.'],
        'idempotency_key_reused' => [422, 'Use a new key for a new message.'],
        'accepted_before' => [422, 'Nothing, if this is a retry: the message was accepted. Use a new key for a new message.'],
        'send_at_out_of_range' => [422, 'Check its offset from UTC; leave it out to send at once.'],
        'invalid_link' => [422, 'Ask for a new one.'],
        'weak_password' => [422, 'Use several unrelated words.'],
        'quota_exceeded' => [429, 'Wait for the next UTC month, or ask the operator to raise it.'],
        'rate_limited' => [429, 'Retry after the seconds in `Retry-After`.'],
        'internal_error' => [500, 'Retry with the same `Idempotency-Key`; if it keeps failing, report the `Request-Id`.'],
        'unavailable' => [503, 'Retry after the seconds in `Retry-After`, with the same `Idempotency-Key`.'],
    ];
}
