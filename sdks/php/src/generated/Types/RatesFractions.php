<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** RatesFractions of the contract. */
final class RatesFractions extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'delivery' => ['number', true, true, false],
        'deferral' => ['number', true, true, false],
        'bounce' => ['number', true, true, false],
        'complaint' => ['number', true, true, false],
        'seal' => ['number', true, true, false],
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
