<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Types\Message;

/**
 * Outcome of a send. `replayed`: the key had been used for this message before, and nothing was sent now; with
 * several `attempts` it usually means that the first had got through.
 */
final readonly class Sent
{
    public function __construct(
        public Message $message,
        public bool $replayed,
        public string $idempotencyKey,
        public int $attempts,
        public ResponseInfo $response,
    ) {
    }
}
