<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** WebhookReplayCount of the contract. */
final class WebhookReplayCount extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'failed' => ['integer', true, false, false],
        'waiting' => ['integer', false, false, false],
        'more' => ['boolean', true, false, true],
    ];

    /** Failed deliveries, 10,000 at most. */
    public readonly int $failed;
    /**
     * Deliveries that wait for their next attempt, 10,000 at most. Absent: from a server that cannot
     * replay them.
     */
    public readonly ?int $waiting;
    /** There are more: counting ended at its limit. */
    public readonly bool $more;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->failed = $values['failed'] ?? 0;
        $this->waiting = $values['waiting'] ?? null;
        $this->more = $values['more'];
    }
}
