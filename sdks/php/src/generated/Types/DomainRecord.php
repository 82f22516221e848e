<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** DomainRecord of the contract. */
final class DomainRecord extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'purpose' => ['string', true, false, false],
        'type' => ['string', true, false, false],
        'name' => ['string', true, false, false],
        'value' => ['string', true, false, false],
        'required' => ['boolean', true, false, false],
        'status' => ['string', true, false, false],
        'found' => [['array', 'string'], true, false, false],
        'key_status' => ['string', true, true, false],
    ];

    /** Purpose of the record. */
    public readonly string $purpose;
    /** For return_path, an MX record to the same host also works. */
    public readonly string $type;
    /** Full name of the record. */
    public readonly string $name;
    /**
     * Value to publish; a TXT value longer than 255 characters goes into several strings of one
     * record.
     */
    public readonly string $value;
    /** True: the domain is not verified without this record. The others improve delivery. */
    public readonly bool $required;
    /** Result of the last look-up. */
    public readonly string $status;
    /**
     * Values that the last look-up found under the name, or why it failed.
     * @var list<string>
     */
    public readonly array $found;
    /**
     * State of the key of a DKIM record: pending keys wait for their record, and retired ones keep
     * theirs for a week. null for other records.
     */
    public readonly ?string $key_status;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->purpose = $values['purpose'] ?? '';
        $this->type = $values['type'] ?? '';
        $this->name = $values['name'] ?? '';
        $this->value = $values['value'] ?? '';
        $this->required = $values['required'] ?? false;
        $this->status = $values['status'] ?? '';
        $this->found = $values['found'] ?? [];
        $this->key_status = $values['key_status'] ?? null;
    }
}
