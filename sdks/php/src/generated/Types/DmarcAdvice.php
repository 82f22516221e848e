<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** DmarcAdvice of the contract. */
final class DmarcAdvice extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'safe_policy' => [['ref', 'DmarcPolicy'], true, true, false],
        'reason' => [['ref', 'DmarcAdviceReason'], true, false, false],
    ];

    /**
     * The strictest policy that hardly any of the reported mail would suffer from: reject where at
     * most 0.5 % fails at the reporter in the middle of those with 50 messages or more, in two reports
     * or more over 7 days; quarantine where at most 2 % does. null: none yet.
     */
    public readonly ?string $safe_policy;
    public readonly string $reason;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->safe_policy = $values['safe_policy'] ?? null;
        $this->reason = $values['reason'] ?? '';
    }
}
