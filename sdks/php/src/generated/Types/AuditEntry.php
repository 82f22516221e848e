<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** AuditEntry of the contract. */
final class AuditEntry extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'occurred_at' => ['string', true, false, true],
        'actor' => [['ref', 'AuditActor'], true, false, true],
        'action' => ['string', true, false, true],
        'target' => ['string', true, true, true],
        'before' => [['map', 'json'], true, true, true],
        'after' => [['map', 'json'], true, true, true],
        'client_address' => ['string', true, true, true],
        'request_id' => ['string', true, true, true],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $occurred_at;
    /** Person, key or operator that acted. */
    public readonly AuditActor $actor;
    /** The operation, in snake case. */
    public readonly string $action;
    /** The target of the operation. */
    public readonly ?string $target;
    /**
     * The values before the change.
     * @var array<string, mixed>|null
     */
    public readonly ?array $before;
    /**
     * The values after the change.
     * @var array<string, mixed>|null
     */
    public readonly ?array $after;
    /** The address that the request came from. */
    public readonly ?string $client_address;
    /** Request-Id of the request. */
    public readonly ?string $request_id;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->occurred_at = $values['occurred_at'];
        $this->actor = $values['actor'];
        $this->action = $values['action'];
        $this->target = $values['target'] ?? null;
        $this->before = $values['before'] ?? null;
        $this->after = $values['after'] ?? null;
        $this->client_address = $values['client_address'] ?? null;
        $this->request_id = $values['request_id'] ?? null;
    }
}
