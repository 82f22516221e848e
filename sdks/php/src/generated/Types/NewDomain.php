<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** NewDomain of the contract. */
final class NewDomain extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'name' => ['string', true, false, true],
    ];

    /** Unicode names are mapped to A-labels (UTS-46). */
    public readonly string $name;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->name = $values['name'];
    }
}
