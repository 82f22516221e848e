<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Suppression of the contract. */
final class Suppression extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'id' => ['string', true, false, true],
        'address' => ['string', true, false, false],
        'reason' => ['string', true, false, false],
        'source' => ['string', true, false, false],
        'message_id' => ['string', true, true, false],
        'created_at' => ['string', true, false, false],
    ];

    /** UUIDv7. */
    public readonly string $id;
    /** Normalized for comparison: lower case, domain in A-labels. */
    public readonly string $address;
    /** Why, in the words of whoever added it. */
    public readonly string $reason;
    /** Origin of the entry. */
    public readonly string $source;
    /** The message whose bounce or complaint put it here. */
    public readonly ?string $message_id;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $created_at;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->id = $values['id'];
        $this->address = $values['address'] ?? '';
        $this->reason = $values['reason'] ?? '';
        $this->source = $values['source'] ?? '';
        $this->message_id = $values['message_id'] ?? null;
        $this->created_at = $values['created_at'] ?? '';
    }
}
