<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** Waiting of the contract. */
final class Waiting extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'reasons' => [['array', ['ref', 'WaitingReason']], true, false, false],
    ];

    /**
     * Why messages wait.
     * @var list<WaitingReason>
     */
    public readonly array $reasons;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->reasons = $values['reasons'] ?? [];
    }
}
