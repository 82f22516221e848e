<?php

declare(strict_types=1);

namespace Acuse;

/** Outcome of one item of a batch: a BatchSent or a BatchFailed. */
abstract readonly class BatchEntry
{
    /** @internal */
    public function __construct(
        /** The item's place in what was given. */
        public int $index,
        /** 'created', 'replayed', 'failed' or 'unknown'. */
        public string $status,
        /** The item's own, or else the one that was made for it. */
        public string $idempotencyKey,
    ) {
    }
}
