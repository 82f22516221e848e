<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Errors\AcuseError;

/**
 * Outcome of an item that was not accepted, or of which nothing is known: its `status` is 'failed' or 'unknown' (its
 * request was lost for good: sending the item again under the same key makes no second message).
 */
final readonly class BatchFailed extends BatchEntry
{
    public null $message;

    /** @internal */
    public function __construct(int $index, string $status, string $idempotencyKey, public AcuseError $error)
    {
        parent::__construct($index, $status, $idempotencyKey);
        $this->message = null;
    }
}
