<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Domain of the contract. */
final class Domain extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'name' => ['string', true, false, false],
        'status' => ['string', true, false, false],
        'readiness' => [['ref', 'DomainReadiness'], false, false, false],
        'failing_records' => [['array', 'string'], false, false, false],
        'records' => [['array', ['ref', 'DomainRecord']], true, false, false],
        'created_at' => ['string', true, false, false],
        'verified_at' => ['string', true, true, false],
        'checked_at' => ['string', true, true, false],
        'grace_until' => ['string', true, true, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** Domain name in A-labels, lower case. */
    public readonly string $name;
    /** Only a verified domain may send. */
    public readonly string $status;
    public readonly ?string $readiness;
    /**
     * Missing records that keep it from being ready, as of the last look-up.
     * @var list<string>|null
     */
    public readonly ?array $failing_records;
    /**
     * The DNS records to publish, and what was found.
     * @var list<DomainRecord>
     */
    public readonly array $records;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;
    /** RFC 3339, UTC, milliseconds. */
    public readonly ?string $verified_at;
    /** RFC 3339, UTC, milliseconds. */
    public readonly ?string $checked_at;
    /** Required records are missing: after this time the domain is failing. */
    public readonly ?string $grace_until;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->name = $values['name'] ?? '';
        $this->status = $values['status'] ?? '';
        $this->readiness = $values['readiness'] ?? null;
        $this->failing_records = $values['failing_records'] ?? null;
        $this->records = $values['records'] ?? [];
        $this->created_at = $values['created_at'] ?? '';
        $this->verified_at = $values['verified_at'] ?? null;
        $this->checked_at = $values['checked_at'] ?? null;
        $this->grace_until = $values['grace_until'] ?? null;
    }
}
