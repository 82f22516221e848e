<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** TlsParameters of the contract. */
final class TlsParameters extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'version' => ['string', true, false, false],
        'cipher' => ['string', true, false, false],
    ];

    /** Version of TLS. */
    public readonly string $version;
    /** Cipher suite. */
    public readonly string $cipher;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->version = $values['version'] ?? '';
        $this->cipher = $values['cipher'] ?? '';
    }
}
