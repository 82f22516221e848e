<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** The ids and the fields of the type; after an erasure, without addresses, subject and replies. */
final class AccountEventData extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'message_id' => ['string', true, false, false],
        'event_id' => ['string', true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $message_id;
    /** UUIDv7. */
    public readonly string $event_id;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->message_id = $values['message_id'] ?? '';
        $this->event_id = $values['event_id'] ?? '';
    }
}
