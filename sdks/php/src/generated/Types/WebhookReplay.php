<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** WebhookReplay of the contract. */
final class WebhookReplay extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'replayed' => ['integer', true, false, false],
    ];

    /** Number of deliveries queued again. */
    public readonly int $replayed;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->replayed = $values['replayed'] ?? 0;
    }
}
