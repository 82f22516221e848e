<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** CallingKey of the contract. */
final class CallingKey extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, false],
        'scopes' => [['array', ['ref', 'Scope']], true, false, false],
        'resource' => ['string', false, false, false],
        'needs_approval' => ['boolean', false, false, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /**
     * Scopes of the key.
     * @var list<string>
     */
    public readonly array $scopes;
    /** URL of the MCP server that the key was granted for. Absent for other keys. */
    public readonly ?string $resource;
    /** Each send waits until a person approves it in the portal. Absent for other keys. */
    public readonly ?bool $needs_approval;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'] ?? '';
        $this->scopes = $values['scopes'] ?? [];
        $this->resource = $values['resource'] ?? null;
        $this->needs_approval = $values['needs_approval'] ?? null;
    }
}
