<?php

declare(strict_types=1);

namespace Acuse;

/**
 * What onAttempt is told of one attempt. `error` is the name of the error's class, null for a success; `retryInMs`
 * is null when nothing follows.
 */
final readonly class AttemptEvent
{
    public function __construct(
        public string $operation,
        public int $attempt,
        public ?int $status,
        public ?string $code,
        public ?string $requestId,
        public float $durationMs,
        public ?float $retryInMs,
        public ?string $error,
    ) {
    }
}
