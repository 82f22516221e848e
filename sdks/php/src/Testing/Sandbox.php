<?php

declare(strict_types=1);

namespace Acuse\Testing;

/** Addresses of a sandbox service, each with its behaviour. */
final class Sandbox
{
    /** Such as `bounced+tag@sandbox.test`; docs/operating.md lists the outcomes. */
    public static function address(string $outcome = 'delivered', ?string $tag = null): string
    {
        return $tag === null ? "$outcome@sandbox.test" : "$outcome+$tag@sandbox.test";
    }
}
