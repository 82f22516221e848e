<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** SessionTls of the contract. */
final class SessionTls extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'version' => ['string', true, false, false],
        'cipher' => ['string', true, false, false],
        'certificate_sha256' => ['string', true, true, false],
        'authorized' => ['boolean', true, false, false],
        'error' => ['string', true, true, false],
    ];

    /** Version of TLS. */
    public readonly string $version;
    /** Cipher suite. */
    public readonly string $cipher;
    /** SHA-256 of the peer certificate (DER), lower-case hex. */
    public readonly ?string $certificate_sha256;
    /** True if WebPKI accepts the certificate for the host name. */
    public readonly bool $authorized;
    /** Why WebPKI does not accept the certificate. */
    public readonly ?string $error;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->version = $values['version'] ?? '';
        $this->cipher = $values['cipher'] ?? '';
        $this->certificate_sha256 = $values['certificate_sha256'] ?? null;
        $this->authorized = $values['authorized'] ?? false;
        $this->error = $values['error'] ?? null;
    }
}
