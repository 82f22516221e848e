<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Rates of the contract. */
final class Rates extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'days' => ['integer', true, false, false],
        'from' => ['string', true, false, false],
        'to' => ['string', true, false, false],
        'counters' => [['ref', 'RatesCounters'], true, false, false],
        'rates' => [['ref', 'RatesFractions'], true, false, false],
        'daily' => [['array', ['ref', 'RatesDay']], true, false, false],
        'bounce_reasons' => [['array', ['ref', 'BounceReasonShare']], false, false, false],
        'deferral_reasons' => [['array', ['ref', 'BounceReasonShare']], false, false, false],
    ];

    /** Each day of the period. */
    public readonly int $days;
    /** First UTC day of the window. */
    public readonly string $from;
    /** Last UTC day of the window: today. */
    public readonly string $to;
    public readonly ?RatesCounters $counters;
    /** The rates over the period. */
    public readonly ?RatesFractions $rates;
    /**
     * One entry per day of the window, including days with zeros.
     * @var list<RatesDay>
     */
    public readonly array $daily;
    /**
     * Why messages accepted in the window bounced, most frequent first; of the latest 10000.
     * @var list<BounceReasonShare>|null
     */
    public readonly ?array $bounce_reasons;
    /**
     * Why messages that are deferred now wait, whenever they were accepted, most frequent first; of
     * 10000.
     * @var list<BounceReasonShare>|null
     */
    public readonly ?array $deferral_reasons;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->days = $values['days'] ?? 0;
        $this->from = $values['from'] ?? '';
        $this->to = $values['to'] ?? '';
        $this->counters = $values['counters'] ?? null;
        $this->rates = $values['rates'] ?? null;
        $this->daily = $values['daily'] ?? [];
        $this->bounce_reasons = $values['bounce_reasons'] ?? null;
        $this->deferral_reasons = $values['deferral_reasons'] ?? null;
    }
}
