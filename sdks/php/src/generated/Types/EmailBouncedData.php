<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** EmailBouncedData of the contract. */
final class EmailBouncedData extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'message_id' => ['string', true, false, false],
        'event_id' => ['string', true, false, false],
        'to' => ['string', true, false, false],
        'bounce_type' => [['ref', 'BounceType'], true, false, false],
        'bounce' => [['ref', 'Bounce'], false, false, false],
        'reply_code' => ['integer', true, true, false],
        'enhanced' => ['string', true, true, false],
        'reply' => ['string', true, false, false],
        'asynchronous' => ['boolean', true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $message_id;
    /** UUIDv7. */
    public readonly string $event_id;
    /** Recipient address. */
    public readonly string $to;
    /** How it bounced. */
    public readonly string $bounce_type;
    /** How, why, and who said so. */
    public readonly ?Bounce $bounce;
    /** SMTP reply code (RFC 5321). */
    public readonly ?int $reply_code;
    /** Enhanced status code (RFC 3463), where there was one. */
    public readonly ?string $enhanced;
    /** Text of the server's reply. */
    public readonly string $reply;
    /** True: a server accepted the message and later reported that it could not deliver it. */
    public readonly bool $asynchronous;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->message_id = $values['message_id'] ?? '';
        $this->event_id = $values['event_id'] ?? '';
        $this->to = $values['to'] ?? '';
        $this->bounce_type = $values['bounce_type'] ?? '';
        $this->bounce = $values['bounce'] ?? null;
        $this->reply_code = $values['reply_code'] ?? null;
        $this->enhanced = $values['enhanced'] ?? null;
        $this->reply = $values['reply'] ?? '';
        $this->asynchronous = $values['asynchronous'] ?? false;
    }
}
