<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ApiKeyWithSecret of the contract. */
final class ApiKeyWithSecret extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'name' => ['string', true, false, false],
        'scopes' => [['array', ['ref', 'Scope']], true, false, false],
        'key' => ['string', true, false, true],
        'created_at' => ['string', true, false, false],
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
    /** The API key itself. It is shown only once. */
    public readonly string $key;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->name = $values['name'] ?? '';
        $this->scopes = $values['scopes'] ?? [];
        $this->key = $values['key'];
        $this->created_at = $values['created_at'] ?? '';
    }
}
