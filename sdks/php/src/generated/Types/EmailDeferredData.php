<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** EmailDeferredData of the contract. */
final class EmailDeferredData extends Model
{
    /** @internal name => type, required, nullable */
    public const FIELDS = [
        'message_id' => ['string', true, false],
        'event_id' => ['string', true, false],
        'to' => ['string', true, false],
        'attempt' => ['integer', true, false],
        'next_attempt_at' => ['string', true, false],
        'reply_code' => ['integer', true, true],
        'enhanced' => ['string', true, true],
        'reply' => ['string', true, false],
    ];

    /** UUIDv7. */
    public readonly string $message_id;
    /** UUIDv7. */
    public readonly string $event_id;
    /** Recipient address. */
    public readonly string $to;
    public readonly int $attempt;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $next_attempt_at;
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
        $this->message_id = $values['message_id'];
        $this->event_id = $values['event_id'];
        $this->to = $values['to'];
        $this->attempt = $values['attempt'];
        $this->next_attempt_at = $values['next_attempt_at'];
        $this->reply_code = $values['reply_code'] ?? null;
        $this->enhanced = $values['enhanced'] ?? null;
        $this->reply = $values['reply'];
    }
}
