<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** DmarcSummary of the contract. */
final class DmarcSummary extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'reports' => ['integer', true, false, false],
        'reporters' => [['array', 'string'], true, false, false],
        'messages' => ['integer', true, false, false],
        'aligned' => ['integer', true, false, false],
        'policy' => [['ref', 'DmarcPolicy'], true, true, false],
        'advice' => [['ref', 'DmarcAdvice'], true, false, false],
        'sources' => [['array', ['ref', 'DmarcSource']], true, false, false],
    ];

    /** Number of reports. */
    public readonly int $reports;
    /**
     * Domains of those who reported it, as DKIM or SPF proved them.
     * @var list<string>
     */
    public readonly array $reporters;
    /** Messages that the reports cover. */
    public readonly int $messages;
    /** Messages that pass DMARC. */
    public readonly int $aligned;
    /** The published policy, as most reporters found it. */
    public readonly ?string $policy;
    /** Advice of the reports about a stricter policy. */
    public readonly ?DmarcAdvice $advice;
    /**
     * Sources that send as this domain, the most mail first; 100 at most, of each reporter its
     * largest.
     * @var list<DmarcSource>
     */
    public readonly array $sources;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->reports = $values['reports'] ?? 0;
        $this->reporters = $values['reporters'] ?? [];
        $this->messages = $values['messages'] ?? 0;
        $this->aligned = $values['aligned'] ?? 0;
        $this->policy = $values['policy'] ?? null;
        $this->advice = $values['advice'] ?? null;
        $this->sources = $values['sources'] ?? [];
    }
}
