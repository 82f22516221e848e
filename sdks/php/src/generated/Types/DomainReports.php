<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** DomainReports of the contract. */
final class DomainReports extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'domain' => ['string', true, false, false],
        'since' => ['string', true, false, false],
        'dmarc' => [['ref', 'DmarcSummary'], true, false, false],
        'tls' => [['ref', 'TlsSummary'], true, false, false],
    ];

    /** The domain that they are about. */
    public readonly string $domain;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $since;
    /** DMARC aggregate reports, added up. */
    public readonly ?DmarcSummary $dmarc;
    /** TLS reports, added up. */
    public readonly ?TlsSummary $tls;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->domain = $values['domain'] ?? '';
        $this->since = $values['since'] ?? '';
        $this->dmarc = $values['dmarc'] ?? null;
        $this->tls = $values['tls'] ?? null;
    }
}
