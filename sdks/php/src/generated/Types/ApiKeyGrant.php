<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ApiKeyGrant of the contract. */
final class ApiKeyGrant extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'resource' => ['string', true, false, false],
        'until' => ['string', true, false, false],
    ];

    /** URL of the MCP server that the key is for. */
    public readonly string $resource;
    /** Until when the program may renew the key; expires_at is when it must next. */
    public readonly string $until;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->resource = $values['resource'] ?? '';
        $this->until = $values['until'] ?? '';
    }
}
