<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** Shared by all calls of a client. @internal */
final readonly class Core
{
    public function __construct(
        public Options $options,
        public Transport $transport,
        public Budget $budget,
    ) {
    }
}
