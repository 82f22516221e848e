<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A check that does not hold. @internal */
final class Refused extends \Exception
{
    public function __construct(public readonly string $check, string $detail)
    {
        parent::__construct($detail);
    }
}
