<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** WebhookDeliveryDetail of the contract. */
final class WebhookDeliveryDetail extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'event_id' => ['string', true, false, false],
        'message_id' => ['string', true, false, false],
        'type' => [['ref', 'EventType'], true, false, false],
        'status' => [['ref', 'WebhookDeliveryStatus'], true, false, false],
        'attempts' => ['integer', true, false, false],
        'last_status_code' => ['integer', true, true, false],
        'last_error' => ['string', true, true, false],
        'created_at' => ['string', true, false, false],
        'delivered_at' => ['string', true, true, false],
        'next_attempt_at' => ['string', true, true, false],
        'body' => ['string', true, false, false],
        'attempt_log' => [['array', ['ref', 'WebhookAttempt']], true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** UUIDv7. */
    public readonly string $event_id;
    /** UUIDv7. */
    public readonly string $message_id;
    /** Type of the event. */
    public readonly string $type;
    public readonly string $status;
    /** Attempts made, replays included. */
    public readonly int $attempts;
    /** Status of the last answer. */
    public readonly ?int $last_status_code;
    /** Failure of the last attempt. */
    public readonly ?string $last_error;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;
    /** RFC 3339, UTC, milliseconds. */
    public readonly ?string $delivered_at;
    /** RFC 3339, UTC, milliseconds. */
    public readonly ?string $next_attempt_at;
    /** The exact body, the same in every attempt. */
    public readonly string $body;
    /**
     * Oldest first.
     * @var list<WebhookAttempt>
     */
    public readonly array $attempt_log;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->event_id = $values['event_id'] ?? '';
        $this->message_id = $values['message_id'] ?? '';
        $this->type = $values['type'] ?? '';
        $this->status = $values['status'] ?? '';
        $this->attempts = $values['attempts'] ?? 0;
        $this->last_status_code = $values['last_status_code'] ?? null;
        $this->last_error = $values['last_error'] ?? null;
        $this->created_at = $values['created_at'] ?? '';
        $this->delivered_at = $values['delivered_at'] ?? null;
        $this->next_attempt_at = $values['next_attempt_at'] ?? null;
        $this->body = $values['body'] ?? '';
        $this->attempt_log = $values['attempt_log'] ?? [];
    }
}
