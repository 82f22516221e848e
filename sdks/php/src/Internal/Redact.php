<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** Secrets never show in what is printed. @internal */
final class Redact
{
    private const API_KEY = '/acuse_([A-Za-z0-9]{1,64})_[A-Za-z0-9_-]+/';
    private const WEBHOOK_SECRET = '~whsec_[A-Za-z0-9+/=_-]+~';

    public static function text(#[\SensitiveParameter] string $text): string
    {
        $shown = preg_replace(self::API_KEY, 'acuse_$1_***', $text) ?? '';
        return preg_replace(self::WEBHOOK_SECRET, 'whsec_***', $shown) ?? '';
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
