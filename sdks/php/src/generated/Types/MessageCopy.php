<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** MessageCopy of the contract. */
final class MessageCopy extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'recipient' => ['string', true, false, false],
        'field' => ['string', true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** As submitted: an address, or Name <address>. */
    public readonly string $recipient;
    /** The field that names the recipient first. */
    public readonly string $field;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->recipient = $values['recipient'] ?? '';
        $this->field = $values['field'] ?? '';
    }
}
