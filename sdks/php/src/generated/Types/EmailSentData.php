<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** EmailSentData of the contract. */
final class EmailSentData extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'message_id' => ['string', true, false, false],
        'event_id' => ['string', true, false, false],
        'to' => ['string', true, false, false],
        'mx' => ['string', true, true, false],
        'reply_code' => ['integer', true, true, false],
        'enhanced' => ['string', true, true, false],
        'reply' => ['string', true, false, false],
        'tls' => [['ref', 'SessionTls'], true, true, false],
    ];

    /** UUIDv7. */
    public readonly string $message_id;
    /** UUIDv7. */
    public readonly string $event_id;
    /** Recipient address. */
    public readonly string $to;
    /** Host name of the mail server. */
    public readonly ?string $mx;
    /** SMTP reply code (RFC 5321). */
    public readonly ?int $reply_code;
    /** Enhanced status code (RFC 3463), where there was one. */
    public readonly ?string $enhanced;
    /** Text of the server's reply. */
    public readonly string $reply;
    /** How the connection was encrypted; null if it was not. */
    public readonly ?SessionTls $tls;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->message_id = $values['message_id'] ?? '';
        $this->event_id = $values['event_id'] ?? '';
        $this->to = $values['to'] ?? '';
        $this->mx = $values['mx'] ?? null;
        $this->reply_code = $values['reply_code'] ?? null;
        $this->enhanced = $values['enhanced'] ?? null;
        $this->reply = $values['reply'] ?? '';
        $this->tls = $values['tls'] ?? null;
    }
}
