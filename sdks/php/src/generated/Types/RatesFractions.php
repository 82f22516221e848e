<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** RatesFractions of the contract. */
final class RatesFractions extends Model
{
    /** @internal name => type, required, nullable */
    public const FIELDS = [
        'delivery' => ['number', true, true],
        'deferral' => ['number', true, true],
        'bounce' => ['number', true, true],
        'complaint' => ['number', true, true],
        'seal' => ['number', true, true],
    ];

    /** sent / ingested; null if the divisor is 0. */
    public readonly int|float|null $delivery;
    /** deferred / ingested; null if the divisor is 0. */
    public readonly int|float|null $deferral;
    /** bounced / ingested; null if the divisor is 0. */
    public readonly int|float|null $bounce;
    /** complained / sent; null if the divisor is 0. */
    public readonly int|float|null $complaint;
    /** sealed / certified ingested; null if the divisor is 0. */
    public readonly int|float|null $seal;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->delivery = $values['delivery'] ?? null;
        $this->deferral = $values['deferral'] ?? null;
        $this->bounce = $values['bounce'] ?? null;
        $this->complaint = $values['complaint'] ?? null;
        $this->seal = $values['seal'] ?? null;
    }
}
