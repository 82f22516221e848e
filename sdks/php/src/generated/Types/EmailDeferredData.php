<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** EmailDeferredData of the contract. */
final class EmailDeferredData extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'message_id' => ['string', true, false, false],
        'event_id' => ['string', true, false, false],
        'to' => ['string', true, false, false],
        'attempt' => ['integer', true, false, false],
        'next_attempt_at' => ['string', true, false, false],
        'deferral' => [['ref', 'Deferral'], false, false, false],
        'reply_code' => ['integer', true, true, false],
        'enhanced' => ['string', true, true, false],
        'reply' => ['string', true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $message_id;
    /** UUIDv7. */
    public readonly string $event_id;
    /** Recipient address. */
    public readonly string $to;
    /** Number of the attempt, from 1. */
    public readonly int $attempt;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $next_attempt_at;
    /** Why, and who said so. */
    public readonly ?Deferral $deferral;
    /** SMTP reply code (RFC 5321). */
    public readonly ?int $reply_code;
    /** Enhanced status code (RFC 3463), where there was one. */
    public readonly ?string $enhanced;
    /** Text of the server's reply. */
    public readonly string $reply;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->message_id = $values['message_id'] ?? '';
        $this->event_id = $values['event_id'] ?? '';
        $this->to = $values['to'] ?? '';
        $this->attempt = $values['attempt'] ?? 0;
        $this->next_attempt_at = $values['next_attempt_at'] ?? '';
        $this->deferral = $values['deferral'] ?? null;
        $this->reply_code = $values['reply_code'] ?? null;
        $this->enhanced = $values['enhanced'] ?? null;
        $this->reply = $values['reply'] ?? '';
    }
}
