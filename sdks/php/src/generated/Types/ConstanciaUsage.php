<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ConstanciaUsage of the contract. */
final class ConstanciaUsage extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'on_demand' => ['integer', true, false, false],
        'cost_cents' => ['number', true, false, false],
    ];

    /** Constancias over single messages requested this month. */
    public readonly int $on_demand;
    /**
     * The account's share of what the time-stamping authorities charged this month: its leaves of each
     * batch, and the constancias that it requested itself.
     */
    public readonly int|float $cost_cents;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->on_demand = $values['on_demand'] ?? 0;
        $this->cost_cents = $values['cost_cents'] ?? 0;
    }
}
