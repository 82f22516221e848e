<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A time that a bundle states, in milliseconds, and whose it is. @internal */
final readonly class Stated
{
    /** @param int $size of the tree that is stamped then; 0: none */
    public function __construct(
        public string $what,
        public int $time,
        public int $size = 0,
    ) {
    }

    /** @throws Refused */
    public function needNotAfter(self $later): void
    {
        $holds = $this->time <= $later->time + Times::TOLERANCE;
        Form::need($holds, 'times', "{$this->told()}, yet {$later->told()}");
    }

    public function told(): string
    {
        return "$this->what at " . Times::told($this->time);
    }
}
