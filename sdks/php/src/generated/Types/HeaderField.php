<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** HeaderField of the contract. */
final class HeaderField extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'name' => ['string', true, false, false],
        'value' => ['string', true, false, false],
    ];

    /** Name of the field, as it was written. */
    public readonly string $name;
    /** Unfolded and decoded. */
    public readonly string $value;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->name = $values['name'] ?? '';
        $this->value = $values['value'] ?? '';
    }
}
