<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\ResponseInfo;

/** The outcome of a call. @internal */
final readonly class Answer
{
    public function __construct(
        public mixed $value,
        public ResponseInfo $info,
    ) {
    }
}
