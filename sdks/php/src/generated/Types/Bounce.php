<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Bounce of the contract. */
final class Bounce extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'type' => [['ref', 'BounceType'], true, false, false],
        'reason' => [['ref', 'BounceReason'], true, true, false],
        'source' => ['string', true, false, false],
    ];

    /** How it bounced. */
    public readonly string $type;
    /** The reason; null for messages that bounced before reasons were kept. */
    public readonly ?string $reason;
    /**
     * reply: a server said so; report: mail that came later; acuse: no server did, it was given up or
     * not tried.
     */
    public readonly string $source;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->type = $values['type'] ?? '';
        $this->reason = $values['reason'] ?? null;
        $this->source = $values['source'] ?? '';
    }
}
