<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** NewSender of the contract. */
final class NewSender extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'address' => ['string', true, false, true],
    ];

    /** An address of a registered domain, or *@domain for all of them. */
    public readonly string $address;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->address = $values['address'];
    }
}
