<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** A message counts once per counter, on the UTC day when it first entered that state. */
final class RatesCounters extends Model
{
    /** @internal name => type, required, nullable */
    public const FIELDS = [
        'ingested' => ['integer', true, false],
        'sent' => ['integer', true, false],
        'deferred' => ['integer', true, false],
        'bounced' => ['integer', true, false],
        'complained' => ['integer', true, false],
        'sealed' => ['integer', true, false],
    ];

    public readonly int $ingested;
    public readonly int $sent;
    public readonly int $deferred;
    public readonly int $bounced;
    public readonly int $complained;
    public readonly int $sealed;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->ingested = $values['ingested'];
        $this->sent = $values['sent'];
        $this->deferred = $values['deferred'];
        $this->bounced = $values['bounced'];
        $this->complained = $values['complained'];
        $this->sealed = $values['sealed'];
    }
}
