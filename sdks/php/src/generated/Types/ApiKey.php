<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ApiKey of the contract. */
final class ApiKey extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'name' => ['string', true, false, false],
        'scopes' => [['array', ['ref', 'Scope']], true, false, false],
        'created_at' => ['string', true, false, false],
        'last_used_at' => ['string', true, true, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** Name given to the key. */
    public readonly string $name;
    /**
     * What the key may do.
     * @var list<string>
     */
    public readonly array $scopes;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;
    /** When the key was last used, to the minute. */
    public readonly ?string $last_used_at;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->name = $values['name'] ?? '';
        $this->scopes = $values['scopes'] ?? [];
        $this->created_at = $values['created_at'] ?? '';
        $this->last_used_at = $values['last_used_at'] ?? null;
    }
}
