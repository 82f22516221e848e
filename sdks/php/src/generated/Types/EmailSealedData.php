<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** EmailSealedData of the contract. */
final class EmailSealedData extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'message_id' => ['string', true, false, false],
        'event_id' => ['string', true, false, false],
        'batch_id' => ['string', true, false, false],
        'merkle_root' => ['string', true, false, false],
        'certificate_id' => ['string', true, false, false],
        'sealed_at' => ['string', true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $message_id;
    /** UUIDv7. */
    public readonly string $event_id;
    /** UUIDv7. */
    public readonly string $batch_id;
    /** SHA-256, lower-case hex. */
    public readonly string $merkle_root;
    /** UUIDv7. */
    public readonly string $certificate_id;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $sealed_at;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->message_id = $values['message_id'] ?? '';
        $this->event_id = $values['event_id'] ?? '';
        $this->batch_id = $values['batch_id'] ?? '';
        $this->merkle_root = $values['merkle_root'] ?? '';
        $this->certificate_id = $values['certificate_id'] ?? '';
        $this->sealed_at = $values['sealed_at'] ?? '';
    }
}
