<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Types\Message;

/**
 * What a send came to. `replayed`: the key had been used for this message before, and nothing was sent now; with
 * several `attempts` it usually means that the first had got through.
 */
final class Sent
{
    public function __construct(
        public readonly Message $message,
        public readonly bool $replayed,
        public readonly string $idempotencyKey,
        public readonly int $attempts,
        public readonly ResponseInfo $response,
    ) {
    }
}
