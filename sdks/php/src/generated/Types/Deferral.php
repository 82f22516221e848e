<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Deferral of the contract. */
final class Deferral extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'reason' => [['ref', 'BounceReason'], true, true, false],
        'source' => ['string', true, false, false],
    ];

    /** The reason; null: deferred before the reasons of deferrals were kept. */
    public readonly ?string $reason;
    /** reply: a server said so; acuse: no server answered. */
    public readonly string $source;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->reason = $values['reason'] ?? null;
        $this->source = $values['source'] ?? '';
    }
}
