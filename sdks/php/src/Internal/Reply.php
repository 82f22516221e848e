<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** An answer; header names in lower case. `tooLarge`: its content was not read to the end. @internal */
final class Reply
{
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
        public readonly bool $tooLarge = false,
    ) {
    }

    public function __debugInfo(): array
    {
        return ['status' => $this->status];
    }
}
