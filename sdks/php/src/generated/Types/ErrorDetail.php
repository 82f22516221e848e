<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ErrorDetail of the contract. */
final class ErrorDetail extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'code' => [['ref', 'ErrorCode'], true, false, true],
        'message' => ['string', true, false, false],
    ];

    public readonly string $code;
    /** For people: what is wrong and how to fix it. */
    public readonly string $message;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->code = $values['code'];
        $this->message = $values['message'] ?? '';
    }
}
