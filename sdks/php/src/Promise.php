<?php

declare(strict_types=1);

namespace Acuse;

/** The outcome of the log's promise to include a message. */
final readonly class Promise
{
    public const KEPT = 'kept';
    public const PENDING = 'pending';
    public const BROKEN = 'broken';

    /**
     * @internal
     * @param string $state kept, pending or broken: missing after its deadline
     * @param int $deadline Unix seconds
     */
    public function __construct(
        public string $state,
        public int $deadline,
    ) {
    }
}
