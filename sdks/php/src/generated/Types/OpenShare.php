<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** OpenShare of the contract. */
final class OpenShare extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'secret' => ['string', true, false, true],
    ];

    /** Text after # in the link. */
    public readonly string $secret;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->secret = $values['secret'];
    }
}
