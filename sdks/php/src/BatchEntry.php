<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Errors\AcuseError;
use Acuse\Types\Message;

/**
 * Outcome of one item of a batch. `status`: 'created', 'replayed', 'failed' or 'unknown' (its request was lost for
 * good: sending the item again under the same key makes no second message); `message` of the first two, `error` of
 * the others.
 */
final readonly class BatchEntry
{
    public function __construct(
        public int $index,
        public string $status,
        public string $idempotencyKey,
        public ?Message $message = null,
        public ?AcuseError $error = null,
    ) {
    }
}
