<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Every error answer. */
final class Error extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'error' => [['ref', 'ErrorDetail'], true, false, true],
    ];

    /** The fault, and how to repair it. */
    public readonly ErrorDetail $error;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->error = $values['error'];
    }
}
