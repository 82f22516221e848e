<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** EmailQueuedData of the contract. */
final class EmailQueuedData extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'message_id' => ['string', true, false, false],
        'event_id' => ['string', true, false, false],
        'from' => ['string', true, false, false],
        'to' => ['string', true, false, false],
        'subject' => ['string', true, false, false],
        'certified' => ['boolean', true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $message_id;
    /** UUIDv7. */
    public readonly string $event_id;
    /** The From address. */
    public readonly string $from;
    /** The recipient. */
    public readonly string $to;
    /** The subject. */
    public readonly string $subject;
    /** True: the message is certified. */
    public readonly bool $certified;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->message_id = $values['message_id'] ?? '';
        $this->event_id = $values['event_id'] ?? '';
        $this->from = $values['from'] ?? '';
        $this->to = $values['to'] ?? '';
        $this->subject = $values['subject'] ?? '';
        $this->certified = $values['certified'] ?? false;
    }
}
