<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Host that delivered the report to this service. */
final class ReportPeer extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'ip' => ['string', true, false, false],
        'helo' => ['string', true, false, false],
        'tls' => [['ref', 'TlsParameters'], true, true, false],
    ];

    /** Address that the report came from. */
    public readonly string $ip;
    /** Name that the host gave in EHLO or HELO. */
    public readonly string $helo;
    /** TLS of the connection; null: plain text. */
    public readonly ?TlsParameters $tls;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->ip = $values['ip'] ?? '';
        $this->helo = $values['helo'] ?? '';
        $this->tls = $values['tls'] ?? null;
    }
}
