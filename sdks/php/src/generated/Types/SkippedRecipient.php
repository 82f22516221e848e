<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** SkippedRecipient of the contract. */
final class SkippedRecipient extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'recipient' => ['string', true, false, false],
        'field' => ['string', true, false, false],
        'reason' => ['string', true, false, false],
    ];

    /** As submitted: an address, or Name <address>. */
    public readonly string $recipient;
    /** The field that names the recipient first. */
    public readonly string $field;
    /** The error code that the recipient alone would have been refused with. */
    public readonly string $reason;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->recipient = $values['recipient'] ?? '';
        $this->field = $values['field'] ?? '';
        $this->reason = $values['reason'] ?? '';
    }
}
