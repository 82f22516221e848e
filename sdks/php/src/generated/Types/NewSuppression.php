<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** NewSuppression of the contract. */
final class NewSuppression extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'address' => ['string', true, false, true],
        'reason' => ['string', false, true, false],
    ];

    /** The address that gets no more mail. */
    public readonly string $address;
    /** Why, in your words. */
    public readonly ?string $reason;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->address = $values['address'];
        $this->reason = $values['reason'] ?? null;
    }
}
