<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** MessageChange of the contract. */
final class MessageChange extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'send_at' => ['string', true, true, true],
    ];

    /** RFC 3339 with an offset from UTC; null: now. */
    public readonly ?string $send_at;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->send_at = $values['send_at'] ?? null;
    }
}
