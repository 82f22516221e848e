<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** No whole answer. `phase`: connect, tls, send or receive. @internal */
final class Failure
{
    public function __construct(
        public readonly Outcome $outcome,
        public readonly string $phase,
        public readonly string $text,
        public readonly bool $slow = false,
    ) {
    }
}
