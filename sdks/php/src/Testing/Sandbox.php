<?php

declare(strict_types=1);

namespace Acuse\Testing;

/** Test addresses of a service that runs as a sandbox. */
final class Sandbox
{
    /** Such as `bounced+tag@sandbox.test`; docs/operating.md lists the outcomes. */
    public static function address(string $outcome = 'delivered', ?string $tag = null): string
    {
        return $tag === null ? "$outcome@sandbox.test" : "$outcome+$tag@sandbox.test";
    }
}
