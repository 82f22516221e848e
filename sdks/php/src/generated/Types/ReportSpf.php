<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** ReportSpf of the contract. */
final class ReportSpf extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'result' => [['ref', 'AuthenticationResult'], true, false, false],
        'domain' => ['string', true, true, false],
    ];

    public readonly string $result;
    /** Domain whose policy was looked up. */
    public readonly ?string $domain;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->result = $values['result'] ?? '';
        $this->domain = $values['domain'] ?? null;
    }
}
