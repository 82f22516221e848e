<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Event of the contract. */
final class Event extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'type' => [['ref', 'RecordedEventType'], true, false, true],
        'created_at' => ['string', true, false, false],
        'data' => [['map', 'json'], true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    public readonly string $type;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;
    /**
     * Fields that webhooks carry in data besides message_id and event_id.
     * @var array<string, mixed>
     */
    public readonly array $data;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->type = $values['type'];
        $this->created_at = $values['created_at'] ?? '';
        $this->data = $values['data'] ?? [];
    }
}
