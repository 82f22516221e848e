<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** NewApiKey of the contract. */
final class NewApiKey extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'name' => ['string', true, false, true],
        'scopes' => [['array', ['ref', 'Scope']], true, false, true],
    ];

    /** Name to recognize the key by. */
    public readonly string $name;
    /**
     * What the key may do.
     * @var list<string>
     */
    public readonly array $scopes;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->name = $values['name'];
        $this->scopes = $values['scopes'];
    }
}
