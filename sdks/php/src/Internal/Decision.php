<?php

declare(strict_types=1);

namespace Acuse\Internal;

/**
 * What follows an attempt: a retry after `delay` ms, with `budget` tokens left; `retry_after` ms that the answer
 * asked for; `because`: what forbids a retry.
 * @internal
 */
final readonly class Decision
{
    public function __construct(
        public bool $retry,
        public ?int $delay,
        public int $budget,
        public ?int $retry_after,
        public bool $unknown,
        public ?string $because,
    ) {
    }
}
