<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** QuotaUsage of the contract. */
final class QuotaUsage extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'used' => ['integer', true, false, false],
        'quota' => ['integer', true, false, false],
        'remaining' => ['integer', true, false, false],
        'price_cents' => ['integer', true, false, false],
    ];

    /** Messages accepted this month; replays and refused sends are not counted. */
    public readonly int $used;
    /** The quota; null if there is none. */
    public readonly int $quota;
    /** Messages left of it. */
    public readonly int $remaining;
    /** Price of the usage this month, in cents. */
    public readonly int $price_cents;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->used = $values['used'] ?? 0;
        $this->quota = $values['quota'] ?? 0;
        $this->remaining = $values['remaining'] ?? 0;
        $this->price_cents = $values['price_cents'] ?? 0;
    }
}
