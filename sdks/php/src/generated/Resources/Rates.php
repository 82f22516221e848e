<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Resources;

use Acuse\Errors\AcuseError;
use Acuse\Internal\Resource;
use Acuse\Types;

/** Operations of rates. */
final class Rates extends Resource
{
    /**
     * Read rates.
     *
     * Operational metrics of the account over a window of days; not a claim of public deliverability.
     *
     * Scope: `evidence:read`.
     * @param int|null $days Number of UTC days, including today.
     * @throws AcuseError
     */
    public function get(?int $days = null): Types\Rates
    {
        return $this->call('getRates', query: ['days' => $days]);
    }
}
