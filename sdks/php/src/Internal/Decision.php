<?php

declare(strict_types=1);

namespace Acuse\Internal;

/**
 * What follows an attempt: a retry after `delay` ms, with `budget` tokens left; `retry_after` ms that the answer
 * asked for; `because`: what forbids a retry.
 * @internal
 */
final class Decision
{
    public function __construct(
        public readonly bool $retry,
        public readonly ?int $delay,
        public readonly int $budget,
        public readonly ?int $retry_after,
        public readonly bool $unknown,
        public readonly ?string $because,
    ) {
    }
}
