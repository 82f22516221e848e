<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** An item of a batch, written. @internal */
final readonly class BatchPart
{
    public function __construct(
        public int $index,
        public string $key,
        public string $bytes,
        public int $recipients,
    ) {
    }

    public function __debugInfo(): array
    {
        return ['index' => $this->index, 'key' => $this->key];
    }
}
