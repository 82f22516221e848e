<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** LogCertificate of the contract. */
final class LogCertificate extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'tree_size' => ['integer', true, false, false],
        'previous_tree_size' => ['integer', true, false, false],
        'batch_id' => ['string', true, false, false],
        'checkpoint' => ['string', true, false, false],
        'certificate' => [['ref', 'Certificate'], true, false, false],
        'token' => ['string', true, false, false],
        'policy' => ['json', true, false, false],
    ];

    /** Leaves that the checkpoint covers. */
    public readonly int $tree_size;
    /** Leaves before this batch. */
    public readonly int $previous_tree_size;
    /** UUIDv7. */
    public readonly string $batch_id;
    /** The signed note. */
    public readonly string $checkpoint;
    public readonly ?Certificate $certificate;
    /** The authority's answer (RFC 3161), DER in base64. */
    public readonly string $token;
    /** Pinned roots and policies that the token was verified against. */
    public readonly mixed $policy;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->tree_size = $values['tree_size'] ?? 0;
        $this->previous_tree_size = $values['previous_tree_size'] ?? 0;
        $this->batch_id = $values['batch_id'] ?? '';
        $this->checkpoint = $values['checkpoint'] ?? '';
        $this->certificate = $values['certificate'] ?? null;
        $this->token = $values['token'] ?? '';
        $this->policy = $values['policy'] ?? null;
    }
}
