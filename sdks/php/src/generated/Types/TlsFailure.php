<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** TlsFailure of the contract. */
final class TlsFailure extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'host' => ['string', true, true, false],
        'result' => ['string', true, false, false],
        'sessions' => ['integer', true, false, false],
        'reporters' => [['array', 'string'], true, false, false],
    ];

    /** The mail host, where the report names it. */
    public readonly ?string $host;
    /** As RFC 8460 §4.3 names it. */
    public readonly string $result;
    /** Connections that failed so. */
    public readonly int $sessions;
    /**
     * Domains of those who reported it, as DKIM or SPF proved them.
     * @var list<string>
     */
    public readonly array $reporters;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->host = $values['host'] ?? null;
        $this->result = $values['result'] ?? '';
        $this->sessions = $values['sessions'] ?? 0;
        $this->reporters = $values['reporters'] ?? [];
    }
}
