<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The form of values in documents: everything else is refused. @internal */
final class Form
{
    public const HEX = '/\A[0-9a-f]{64}\z/';
    public const UUID = '/\A[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\z/';
    private const TIME = '/\A([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.[0-9]{3}Z\z/';

    /** @throws Refused unless it is so */
    public static function need(bool $condition, string $check, string $detail): void
    {
        if (!$condition) {
            throw new Refused($check, $detail);
        }
    }

    /**
     * An object with exactly these fields.
     * @param string $required names, with spaces between them
     * @return array<string, mixed>
     * @throws Refused
     */
    public static function fields(mixed $value, string $check, string $required, string $optional = ''): array
    {
        self::need($value instanceof \stdClass, $check, 'not an object');
        $found = get_object_vars($value);
        $wanted = self::names($required);
        foreach (array_diff($wanted, array_keys($found)) as $missing) {
            throw new Refused($check, "$missing is missing");
        }
        foreach (array_diff(array_keys($found), $wanted, self::names($optional)) as $unknown) {
            $name = json_encode(mb_substr((string) $unknown, 0, 40));
            throw new Refused($check, "the field $name is not known");
        }
        return $found;
    }

    /** @throws Refused */
    public static function text(mixed $value, string $check, ?string $form = null): string
    {
        self::need(is_string($value), $check, 'not text');
        self::need($form === null || preg_match($form, $value) === 1, $check, 'text of another form');
        return $value;
    }

    /** A moment that there is. @throws Refused */
    public static function time(mixed $value, string $check): string
    {
        $text = self::text($value, $check, self::TIME);
        preg_match(self::TIME, $text, $found);
        [, $year, $month, $day, $hour, $minute, $second] = array_map(intval(...), $found);
        $is = checkdate($month, $day, $year) && $hour < 24 && $minute < 60 && $second < 60;
        self::need($is, $check, 'a time that is not in the calendar');
        return $text;
    }

    /** From 0. @throws Refused */
    public static function whole(mixed $value, string $check): int
    {
        self::need(is_int($value) && $value >= 0, $check, 'not a whole number');
        return $value;
    }

    /** @throws Refused */
    public static function items(mixed $value, string $check, int $most): array
    {
        self::need(is_array($value) && count($value) <= $most, $check, 'not a list, or too long');
        return $value;
    }

    /**
     * A salt, a hash, and further fields.
     * @return array<string, mixed>
     * @throws Refused
     */
    public static function opening(mixed $value, string $check, string $more = ''): array
    {
        $found = self::fields($value, $check, "salt sha256 $more");
        self::text($found['salt'], $check, self::HEX);
        self::text($found['sha256'], $check, self::HEX);
        return $found;
    }

    /** True if salt and hash make the commitment. */
    public static function opens(string $salt, string $sha256, string $commitment): bool
    {
        return hash('sha256', hex2bin($salt . $sha256)) === $commitment;
    }

    /** @return list<string> */
    private static function names(string $text): array
    {
        return $text === '' ? [] : explode(' ', trim($text));
    }
}
