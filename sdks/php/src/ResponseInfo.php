<?php

declare(strict_types=1);

namespace Acuse;

/** Of the answer that a result came in. */
final class ResponseInfo
{
    /** @param array<string, string> $headers names in lower case */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly ?string $requestId,
        public readonly int $attempts,
    ) {
    }
}
