<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** SenderRequirement of the contract. */
final class SenderRequirement extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'rule' => [['ref', 'SenderRule'], true, false, false],
        'verdict' => [['ref', 'RequirementVerdict'], true, false, false],
        'part' => ['integer', true, true, false],
        'total' => ['integer', true, true, false],
        'found' => [['array', 'string'], true, false, false],
    ];

    /** The rule that large receivers set. */
    public readonly string $rule;
    public readonly string $verdict;
    /**
     * How many of `total` were counted: aligned messages, messages that can be unsubscribed,
     * complaints, addresses with reverse DNS, sessions with TLS.
     */
    public readonly ?int $part;
    /**
     * Number of messages looked at; of one_click_unsubscribe the messages marked as sent to many
     * (List-Unsubscribe, List-Id, Precedence: bulk or list), and all of them where it is not_needed.
     */
    public readonly ?int $total;
    /**
     * Records, names or addresses that were looked at.
     * @var list<string>
     */
    public readonly array $found;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->rule = $values['rule'] ?? '';
        $this->verdict = $values['verdict'] ?? '';
        $this->part = $values['part'] ?? null;
        $this->total = $values['total'] ?? null;
        $this->found = $values['found'] ?? [];
    }
}
