<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ReportDkim of the contract. */
final class ReportDkim extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'result' => [['ref', 'AuthenticationResult'], true, false, false],
        'domains' => [['array', 'string'], true, false, false],
    ];

    public readonly string $result;
    /**
     * Domains whose signature on the report is valid.
     * @var list<string>
     */
    public readonly array $domains;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->result = $values['result'] ?? '';
        $this->domains = $values['domains'] ?? [];
    }
}
