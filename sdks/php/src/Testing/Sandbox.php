<?php

declare(strict_types=1);

namespace Acuse\Testing;

/** Of a service that runs as a sandbox: addresses that behave. */
final class Sandbox
{
    /** Such as `bounced+tag@sandbox.test`; docs/operating.md lists the outcomes. */
    public static function address(string $outcome = 'delivered', ?string $tag = null): string
    {
        return $tag === null ? "$outcome@sandbox.test" : "$outcome+$tag@sandbox.test";
    }
}
