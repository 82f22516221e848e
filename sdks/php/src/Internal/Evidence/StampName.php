<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The names of a time-stamp's files, its check, and the hash of its imprint. @internal */
final readonly class StampName
{
    public function __construct(
        public string $token,
        public string $chain,
        public string $check,
        public string $hash = 'sha256',
    ) {
    }
}
