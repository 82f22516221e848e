<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Types\Message;

/** Outcome of an item that was accepted, now or before: its `status` is 'created' or 'replayed'. */
final readonly class BatchSent extends BatchEntry
{
    public null $error;

    /** @internal */
    public function __construct(int $index, string $status, string $idempotencyKey, public Message $message)
    {
        parent::__construct($index, $status, $idempotencyKey);
        $this->error = null;
    }
}
