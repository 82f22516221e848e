<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** A verified time-stamp (RFC 3161). */
final class Certificate extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, false],
        'kind' => ['string', true, false, false],
        'profile' => ['string', true, false, false],
        'issuer' => ['string', true, false, false],
        'policy_oid' => ['string', true, false, false],
        'serial_number' => ['string', true, false, false],
        'gen_time' => ['string', true, false, false],
        'hash_algorithm' => ['string', true, false, false],
        'imprint' => ['string', true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /**
     * Bytes that it stamps: the checkpoint of a batch, one canonical hash, or all that a constancia
     * and its earlier renewals consist of.
     */
    public readonly string $kind;
    /** `development`: sealed by the built-in authority; not a NOM-151 constancia. */
    public readonly string $profile;
    /** Issuer of the authority's certificate, RFC 4514. */
    public readonly string $issuer;
    /** Policy of the token. */
    public readonly string $policy_oid;
    /** The token's serial number, lower-case hex. */
    public readonly string $serial_number;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $gen_time;
    /** Of the imprint. */
    public readonly string $hash_algorithm;
    /** Hash that was stamped, lower-case hex. */
    public readonly string $imprint;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'] ?? '';
        $this->kind = $values['kind'] ?? '';
        $this->profile = $values['profile'] ?? '';
        $this->issuer = $values['issuer'] ?? '';
        $this->policy_oid = $values['policy_oid'] ?? '';
        $this->serial_number = $values['serial_number'] ?? '';
        $this->gen_time = $values['gen_time'] ?? '';
        $this->hash_algorithm = $values['hash_algorithm'] ?? '';
        $this->imprint = $values['imprint'] ?? '';
    }
}
