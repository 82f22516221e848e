<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\ResponseInfo;

/** What came of a call. @internal */
final class Answer
{
    public function __construct(
        public readonly mixed $value,
        public readonly ResponseInfo $info,
    ) {
    }
}
