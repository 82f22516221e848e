<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** Secrets never show in what is printed. @internal */
final class Redact
{
    private const API_KEY = '/acuse_([A-Za-z0-9]{1,64})_[A-Za-z0-9_-]+/';
    private const UNSHOWN = '/[\x00-\x1f\x7f-\x{9f}\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]/u';
    private const WEBHOOK_SECRET = '~whsec_[A-Za-z0-9+/=_-]+~';

    public static function text(#[\SensitiveParameter] string $text): string
    {
        $shown = preg_replace(self::API_KEY, 'acuse_$1_***', $text) ?? '';
        return preg_replace(self::WEBHOOK_SECRET, 'whsec_***', $shown) ?? '';
    }

    /** Without what would end a line, colour a terminal or turn a text around: somebody else may have written it. */
    public static function plain(#[\SensitiveParameter] string $text): string
    {
        return preg_replace(self::UNSHOWN, "\u{fffd}", mb_scrub($text, 'UTF-8')) ?? '';
    }

    /** The same for every text of a list. */
    public static function all(#[\SensitiveParameter] array $values): array
    {
        return array_map(static fn (mixed $value): mixed => match (true) {
            is_string($value) => self::text($value),
            is_array($value) => self::all($value),
            default => $value,
        }, $values);
    }
}
