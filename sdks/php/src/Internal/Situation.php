<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** The input of a decision, apart from the operation and the outcome. @internal */
final readonly class Situation
{
    /**
     * @param int $attempt the one that has just ended, from 1
     * @param array<string, string> $headers of the answer
     * @param float $u random, in [0, 1)
     * @param int $budget tokens of the client
     * @param float $timeLeft ms until the deadline of the call
     * @param int $now ms since 1970
     */
    public function __construct(
        public int $attempt,
        public int $maxRetries,
        public array $headers,
        public float $u,
        public int $budget,
        public float $timeLeft,
        public int $now,
    ) {
    }
}
