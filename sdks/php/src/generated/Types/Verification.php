<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Verification of the contract. */
final class Verification extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'valid' => ['boolean', true, false, true],
        'merkle_root' => ['string', true, false, false],
        'certificate_id' => ['string', true, false, false],
        'sealed_at' => ['string', true, false, false],
        'checks' => [['array', ['ref', 'VerificationCheck']], true, false, false],
    ];

    /** True only if every check passes. */
    public readonly bool $valid;
    /** SHA-256, lower-case hex. */
    public readonly string $merkle_root;
    /** UUIDv7. */
    public readonly string $certificate_id;
    /** The token's genTime. */
    public readonly string $sealed_at;
    /**
     * Every step of the verification, in order.
     * @var list<VerificationCheck>
     */
    public readonly array $checks;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->valid = $values['valid'];
        $this->merkle_root = $values['merkle_root'] ?? '';
        $this->certificate_id = $values['certificate_id'] ?? '';
        $this->sealed_at = $values['sealed_at'] ?? '';
        $this->checks = $values['checks'] ?? [];
    }
}
