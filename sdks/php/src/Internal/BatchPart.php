<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** An item of a batch, written. @internal */
final class BatchPart
{
    public function __construct(
        public readonly int $index,
        public readonly string $key,
        public readonly string $bytes,
        public readonly int $recipients,
    ) {
    }

    public function __debugInfo(): array
    {
        return ['index' => $this->index, 'key' => $this->key];
    }
}
