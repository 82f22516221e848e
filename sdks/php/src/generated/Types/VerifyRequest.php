<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** VerifyRequest of the contract. */
final class VerifyRequest extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'message_id' => ['string', true, false, true],
    ];

    /** Id of the message. */
    public readonly string $message_id;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->message_id = $values['message_id'];
    }
}
