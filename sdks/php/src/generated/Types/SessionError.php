<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** SessionError of the contract. */
final class SessionError extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'code' => ['string', true, false, false],
        'message' => ['string', true, false, false],
    ];

    /** The operating system’s or TLS’s code. */
    public readonly string $code;
    /** The same in words. */
    public readonly string $message;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->code = $values['code'] ?? '';
        $this->message = $values['message'] ?? '';
    }
}
