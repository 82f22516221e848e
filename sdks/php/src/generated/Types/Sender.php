<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Sender of the contract. */
final class Sender extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'address' => ['string', true, false, false],
        'domain_id' => ['string', true, false, false],
        'active' => ['boolean', true, false, false],
        'created_at' => ['string', true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** Normalized for comparison: lower case, domain in A-labels. */
    public readonly string $address;
    /** UUIDv7. */
    public readonly string $domain_id;
    /** False: the address is refused, even if *@domain is active. */
    public readonly bool $active;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->address = $values['address'] ?? '';
        $this->domain_id = $values['domain_id'] ?? '';
        $this->active = $values['active'] ?? false;
        $this->created_at = $values['created_at'] ?? '';
    }
}
