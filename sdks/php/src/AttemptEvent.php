<?php

declare(strict_types=1);

namespace Acuse;

/**
 * What onAttempt is told of one attempt. `error` is the name of the error's class, null for a success; `retryInMs`
 * is null when nothing follows.
 */
final class AttemptEvent
{
    public function __construct(
        public readonly string $operation,
        public readonly int $attempt,
        public readonly ?int $status,
        public readonly ?string $code,
        public readonly ?string $requestId,
        public readonly float $durationMs,
        public readonly ?float $retryInMs,
        public readonly ?string $error,
    ) {
    }
}
