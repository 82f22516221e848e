<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** OutcomesCount of the contract. */
final class OutcomesCount extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'count' => ['integer', true, false, false],
        'as_of' => ['string', true, false, false],
        'note' => ['string', true, false, false],
    ];

    /** Outcomes that the log counts of the message. */
    public readonly int $count;
    /** RFC 3339, UTC, milliseconds. */
    public readonly string $as_of;
    /**
     * Signed note (C2SP tlog-cosignature): of how many outcomes the log knew at that time. The proof
     * bundle holds it as outcomes.note.
     */
    public readonly string $note;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->count = $values['count'] ?? 0;
        $this->as_of = $values['as_of'] ?? '';
        $this->note = $values['note'] ?? '';
    }
}
