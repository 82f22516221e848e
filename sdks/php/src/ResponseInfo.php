<?php

declare(strict_types=1);

namespace Acuse;

/** Status and headers of the answer that a result came in. */
final readonly class ResponseInfo
{
    /** @param array<string, string> $headers names in lower case */
    public function __construct(
        public int $status,
        public array $headers,
        public ?string $requestId,
        public int $attempts,
    ) {
    }
}
