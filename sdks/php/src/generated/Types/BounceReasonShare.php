<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** BounceReasonShare of the contract. */
final class BounceReasonShare extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'reason' => [['ref', 'BounceReason'], true, true, false],
        'messages' => ['integer', true, false, false],
        'share' => ['number', true, false, false],
    ];

    /** null: before reasons were kept. */
    public readonly ?string $reason;
    /** Messages that bounced for this reason. */
    public readonly int $messages;
    /** Of these messages. */
    public readonly int|float $share;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->reason = $values['reason'] ?? null;
        $this->messages = $values['messages'] ?? 0;
        $this->share = $values['share'] ?? 0;
    }
}
