<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Types;

use Acuse\Model;
use Acuse\ResponseInfo;

/** BatchResult of the contract. */
final class BatchResult extends Model
{
    /** @internal name => type, required, nullable */
    public const FIELDS = [
        'created' => ['integer', true, false],
        'failed' => ['integer', true, false],
        'replayed' => ['integer', true, false],
        'results' => [['array', ['ref', 'BatchItemResult']], true, false],
    ];

    public readonly int $created;
    public readonly int $failed;
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
        $this->created = $values['created'];
        $this->failed = $values['failed'];
        $this->replayed = $values['replayed'];
        $this->results = $values['results'];
    }
}
