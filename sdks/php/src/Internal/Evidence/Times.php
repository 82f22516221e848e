<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** Times in milliseconds since 1970. @internal */
final class Times
{
    /** Clocks that differ by no more do not contradict each other. */
    public const TOLERANCE = 5 * 60_000;
    public const DAY = 24 * 3_600_000;
    /** The last that a date can name. */
    public const LAST = 253_402_300_799_999;

    /** Fractions of a millisecond are dropped. */
    public static function of(\DateTimeInterface $moment): int
    {
        return 1_000 * $moment->getTimestamp() + (int) $moment->format('v');
    }

    /** Milliseconds of a time that Form::time has read. */
    public static function ofText(string $text): int
    {
        return self::of(new \DateTimeImmutable($text));
    }

    /** As the format writes it. */
    public static function told(int $time): string
    {
        $milliseconds = ($time % 1_000 + 1_000) % 1_000;
        return gmdate('Y-m-d\TH:i:s', intdiv($time - $milliseconds, 1_000)) . sprintf('.%03dZ', $milliseconds);
    }
}
