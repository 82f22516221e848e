<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** TlsSummary of the contract. */
final class TlsSummary extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'reports' => ['integer', true, false, false],
        'sessions' => ['integer', true, false, false],
        'failed' => ['integer', true, false, false],
        'failures' => [['array', ['ref', 'TlsFailure']], true, false, false],
    ];

    /** Number of reports. */
    public readonly int $reports;
    /** Connections that the reports cover. */
    public readonly int $sessions;
    /** Connections that failed. */
    public readonly int $failed;
    /**
     * The most sessions first; 100 at most, of each reporter its largest.
     * @var list<TlsFailure>
     */
    public readonly array $failures;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->reports = $values['reports'] ?? 0;
        $this->sessions = $values['sessions'] ?? 0;
        $this->failed = $values['failed'] ?? 0;
        $this->failures = $values['failures'] ?? [];
    }
}
