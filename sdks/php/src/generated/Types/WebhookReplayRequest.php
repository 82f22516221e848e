<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** WebhookReplayRequest of the contract. */
final class WebhookReplayRequest extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'since' => ['string', true, false, true],
        'waiting' => ['boolean', false, true, false],
    ];

    /** RFC 3339 time. Deliveries made before it are not affected. */
    public readonly string $since;
    /** true: deliveries that wait for their next attempt are tried now, too, with all their retries. */
    public readonly ?bool $waiting;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->since = $values['since'];
        $this->waiting = $values['waiting'] ?? null;
    }
}
