<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** SenderChange of the contract. */
final class SenderChange extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'active' => ['boolean', true, false, true],
    ];

    /** false: the address may no longer send. */
    public readonly bool $active;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->active = $values['active'];
    }
}
