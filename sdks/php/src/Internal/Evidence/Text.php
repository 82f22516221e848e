<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** Encodings of mail: base64, quoted-printable, encoded words, charsets. @internal */
final class Text
{
    private const UTF8 = [
        '', 'utf-8', 'utf8', 'unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'x-unicode20utf8',
    ];
    /** Labels of the Encoding Standard. */
    private const WINDOWS_1252 = [
        'ansi_x3.4-1968', 'ascii', 'cp1252', 'cp819', 'csisolatin1', 'ibm819', 'iso-8859-1', 'iso-ir-100',
        'iso8859-1', 'iso88591', 'iso_8859-1', 'iso_8859-1:1987', 'l1', 'latin1', 'us-ascii', 'windows-1252',
        'x-cp1252',
    ];
    /** What 80 to 9F stand for in windows-1252; the five that it lacks stand for themselves. */
    private const HIGH = [
        0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d,
        0x17d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161,
        0x203a, 0x153, 0x9d, 0x17e, 0x178,
    ];
    /** A character of UTF-8, or what is replaced by one: the longest beginning of one, or a byte. */
    private const UTF8_PIECE = '/([\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]'
        . '|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}'
        . '|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})'
        . '|\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f]|\xf0[\x90-\xbf][\x80-\xbf]?'
        . '|[\xf1-\xf3][\x80-\xbf]{1,2}|\xf4[\x80-\x8f][\x80-\xbf]?|./s';
    private const REPLACEMENT = "\u{fffd}";
    private const WORD = '/=\?([^?*\s]+)(?:\*[^?\s]*)?\?([BbQq])\?([^?\s]*)\?=/';

    /**
     * As UTF-8.
     * @throws NotChecked a charset that PHP and the format may read differently
     */
    public static function ofCharset(string $bytes, string $charset): string
    {
        $label = strtolower(trim($charset, " \t\r\n\f"));
        if (in_array($label, self::UTF8, true)) {
            return mb_check_encoding($bytes, 'UTF-8') ? $bytes : self::scrubbed($bytes);
        }
        if (in_array($label, self::WINDOWS_1252, true)) {
            return strtr($bytes, self::windows1252());
        }
        throw new NotChecked('a text in the charset ' . json_encode(substr($charset, 0, 40)));
    }

    /** As mail programs do: what is not of the alphabet is skipped, and padding ends it. RFC 2045 §6.8 */
    public static function ofBase64(string $bytes): string
    {
        $letters = preg_replace('~[^A-Za-z0-9+/]~', '', explode('=', $bytes, 2)[0]);
        if (strlen($letters) % 4 === 1) {
            $letters = substr($letters, 0, -1);
        }
        return base64_decode($letters);
    }

    /** RFC 2045 §6.7 */
    public static function ofQuotedPrintable(string $bytes): string
    {
        // White space at the end of a line was added on the way.
        $lines = preg_replace('/(?<![ \t])[ \t]++(?=\r|\n|\z)/', '', $bytes);
        return preg_replace_callback(
            '/=(?:\r\n|\n|\z|([0-9A-Fa-f]{2}))/',
            static fn (array $found): string => hex2bin($found[1] ?? ''),
            $lines,
        );
    }

    /** RFC 2047 §2 @throws NotChecked */
    public static function ofWords(string $text): string
    {
        if (!str_contains($text, '=?')) {
            return $text;
        }
        $joined = preg_replace('/(\?=)\s+(?==\?)/', '$1', $text);
        return preg_replace_callback(self::WORD, static function (array $found): string {
            [, $charset, $encoding, $encoded] = $found;
            return self::ofCharset(
                strtoupper($encoding) === 'B'
                    ? self::ofBase64($encoded)
                    : self::ofQuotedPrintable(strtr($encoded, '_', ' ')),
                $charset,
            );
        }, $joined);
    }

    private static function scrubbed(string $bytes): string
    {
        return preg_replace_callback(
            self::UTF8_PIECE,
            static fn (array $found): string => $found[1] ?? self::REPLACEMENT,
            $bytes,
        );
    }

    /** @return array<string, string> */
    private static function windows1252(): array
    {
        $found = [];
        for ($byte = 0x80; $byte <= 0xff; $byte++) {
            $found[chr($byte)] = mb_chr(self::HIGH[$byte - 0x80] ?? $byte, 'UTF-8');
        }
        return $found;
    }
}
