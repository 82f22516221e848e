<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** An answer; header names in lower case. `tooLarge`: its content was not read to the end. @internal */
final readonly class Reply
{
    public function __construct(
        public int $status,
        public array $headers,
        public string $body,
        public bool $tooLarge = false,
    ) {
    }

    public function __debugInfo(): array
    {
        return ['status' => $this->status];
    }
}
