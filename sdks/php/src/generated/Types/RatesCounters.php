<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** A message counts once per counter, on the UTC day when it first entered that state. */
final class RatesCounters extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'ingested' => ['integer', true, false, false],
        'sent' => ['integer', true, false, false],
        'deferred' => ['integer', true, false, false],
        'bounced' => ['integer', true, false, false],
        'complained' => ['integer', true, false, false],
        'sealed' => ['integer', true, false, false],
    ];

    /** Messages that were accepted. */
    public readonly int $ingested;
    /** Messages that recipients’ servers took. */
    public readonly int $sent;
    /** Messages that were deferred at least once. */
    public readonly int $deferred;
    /** Messages that bounced. */
    public readonly int $bounced;
    /** Messages that recipients called spam. */
    public readonly int $complained;
    /** Messages that were sealed. */
    public readonly int $sealed;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->ingested = $values['ingested'] ?? 0;
        $this->sent = $values['sent'] ?? 0;
        $this->deferred = $values['deferred'] ?? 0;
        $this->bounced = $values['bounced'] ?? 0;
        $this->complained = $values['complained'] ?? 0;
        $this->sealed = $values['sealed'] ?? 0;
    }
}
