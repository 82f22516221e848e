<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** BatchResult of the contract. */
final class BatchResult extends Model
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [
        'created' => ['integer', true, false, false],
        'failed' => ['integer', true, false, false],
        'replayed' => ['integer', true, false, false],
        'results' => [['array', ['ref', 'BatchItemResult']], true, false, true],
    ];

    /** Number of items that made new messages. */
    public readonly int $created;
    /** Number of items that were refused. */
    public readonly int $failed;
    /** Number of items that had been accepted before. */
    public readonly int $replayed;
    /**
     * One result per item, in order; message unless the item failed.
     * @var list<BatchItemResult>
     */
    public readonly array $results;

    /** @internal */
    public function __construct(array $values, array $extra = [], ?ResponseInfo $response = null)
    {
        parent::__construct($values, $extra, $response);
        $this->created = $values['created'] ?? 0;
        $this->failed = $values['failed'] ?? 0;
        $this->replayed = $values['replayed'] ?? 0;
        $this->results = $values['results'];
    }
}
