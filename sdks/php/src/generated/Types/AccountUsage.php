<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** AccountUsage of the contract. */
final class AccountUsage extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'month' => ['string', true, false, false],
        'resets_at' => ['string', true, false, false],
        'certified' => [['ref', 'QuotaUsage'], true, false, false],
        'plain' => [['ref', 'QuotaUsage'], true, false, false],
        'constancias' => [['ref', 'ConstanciaUsage'], true, false, false],
    ];

    /** UTC calendar month. */
    public readonly string $month;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $resets_at;
    /** Certified messages. */
    public readonly ?QuotaUsage $certified;
    /** Plain messages. */
    public readonly ?QuotaUsage $plain;
    /** Time-stamps, and the account’s share of their cost. */
    public readonly ?ConstanciaUsage $constancias;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->month = $values['month'] ?? '';
        $this->resets_at = $values['resets_at'] ?? '';
        $this->certified = $values['certified'] ?? null;
        $this->plain = $values['plain'] ?? null;
        $this->constancias = $values['constancias'] ?? null;
    }
}
