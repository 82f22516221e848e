<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A field's value and its parameters, decoded. RFC 2045 §5.1, RFC 2231 §3 @internal */
final class Parameters
{
    private const TOKEN = '/"(?:[^"\\\\]|\\\\.)*+"?|\([^()]*\)|[;=]|[^\s\pZ;="()]+/u';

    /**
     * @return array{string, array<string, string>}
     * @throws NotChecked
     */
    public static function parse(string $text): array
    {
        preg_match_all(self::TOKEN, $text, $found);
        $words = array_values(array_filter($found[0], static fn (string $each): bool => $each[0] !== '('));
        // Parts between semicolons: the value, then name, "=" and what follows.
        $parts = [[]];
        foreach ($words as $word) {
            if ($word === ';') {
                $parts[] = [];
            } else {
                $parts[array_key_last($parts)][] = $word;
            }
        }
        $raw = [];
        foreach (array_slice($parts, 1) as $part) {
            if (count($part) >= 2 && $part[1] === '=') {
                $value = implode('', array_map(self::unquoted(...), array_slice($part, 2)));
                $raw[mb_strtolower($part[0], 'UTF-8')] ??= $value;
            }
        }
        return [mb_strtolower(implode('', $parts[0]), 'UTF-8'), self::decoded($raw)];
    }

    private static function unquoted(string $word): string
    {
        if ($word[0] !== '"') {
            return $word;
        }
        $inner = strlen($word) > 1 && str_ends_with($word, '"') ? substr($word, 1, -1) : substr($word, 1);
        return preg_replace('/\\\\(.)/u', '$1', $inner);
    }

    /** @param array<string, string> $raw */
    private static function decoded(array $raw): array
    {
        $found = [];
        foreach ($raw as $key => $value) {
            $name = explode('*', (string) $key, 2)[0];
            if (isset($found[$name])) {
                continue;
            }
            if (isset($raw["$name*"])) {
                [$charset, $text] = self::extended($raw["$name*"]);
                $found[$name] = Text::ofCharset(self::percent($text), $charset);
            } elseif (isset($raw["$name*0"]) || isset($raw["$name*0*"])) {
                $found[$name] = self::joined($name, $raw);
            } elseif (isset($raw[$name])) {
                $found[$name] = Text::ofWords($raw[$name]);
            }
        }
        return $found;
    }

    private static function joined(string $name, array $raw): string
    {
        [$charset, $bytes] = ['', ''];
        for ($number = 0; $number <= count($raw); $number++) {
            $extended = $raw["$name*$number*"] ?? null;
            if ($extended !== null) {
                [$named, $text] = $number === 0 ? self::extended($extended) : ['', $extended];
                $charset = $number === 0 ? $named : $charset;
                $bytes .= self::percent($text);
            } elseif (isset($raw["$name*$number"])) {
                $bytes .= $raw["$name*$number"];
            } else {
                break;
            }
        }
        return Text::ofCharset($bytes, $charset === '' ? 'utf-8' : $charset);
    }

    /** @return array{string, string} charset and text */
    private static function extended(string $value): array
    {
        $parts = explode("'", $value, 3);
        return count($parts) === 3 ? [$parts[0], $parts[2]] : ['utf-8', $value];
    }

    private static function percent(string $text): string
    {
        return preg_replace_callback(
            '/%([0-9A-Fa-f]{2})/',
            static fn (array $found): string => hex2bin($found[1]),
            $text,
        );
    }
}
