<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** No whole answer. `phase`: connect, tls, send or receive. @internal */
final readonly class Failure
{
    public function __construct(
        public Outcome $outcome,
        public string $phase,
        public string $text,
        public bool $slow = false,
    ) {
    }
}
