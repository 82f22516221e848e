<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** What all calls of a client share. @internal */
final class Core
{
    public function __construct(
        public readonly Options $options,
        public readonly Transport $transport,
        public readonly Budget $budget,
    ) {
    }
}
