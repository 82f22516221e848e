<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The outcome of the message. Times in milliseconds. @internal */
final readonly class Outcome
{
    public function __construct(
        public Leaf $leaf,
        public int $occurred,
        public ?int $stamped,
    ) {
    }
}
