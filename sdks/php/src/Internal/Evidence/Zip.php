<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A ZIP of which each byte belongs to one entry, the directory or the end. @internal */
final class Zip
{
    private const END_BYTES = 22;
    private const DIRECTORY_BYTES = 46;
    private const LOCAL_BYTES = 30;
    private const STORED = 0;
    private const DEFLATED = 8;
    /** Bits 1, 2 and 11. */
    private const FLAGS_ALLOWED = 0x0806;
    private const KIND = 0o170000;
    private const PLAIN_FILE = 0o100000;
    private const SET_ID = 0o7000;
    /** MS-DOS attributes of a volume's label and of a folder. */
    private const NOT_A_FILE = 0x18;
    /** Packed bytes that are inflated at one time: at most a thousand times as many come out. */
    private const PIECE = 4_096;

    /**
     * @return list<array{string, string}> name and content
     * @throws Refused
     */
    public static function entries(string $bytes): array
    {
        $start = strlen($bytes) - self::END_BYTES;
        $last = substr($bytes, -self::END_BYTES);
        $whole = $start >= 0 && str_starts_with($last, "PK\5\6") && str_ends_with($last, "\0\0");
        Container::need($whole, 'not a ZIP, or something behind it');
        $end = unpack('vdisk/vfirst/vhere/vcount/Vsize/Vstart', $last, 4);
        $one = $end['disk'] === 0 && $end['first'] === 0 && $end['here'] === $end['count'];
        Container::need($one, 'a ZIP of several disks');
        Container::need($end['count'] <= Container::MAX_ENTRIES, 'too many entries');
        Container::need($end['start'] + $end['size'] === $start, 'the directory is elsewhere');
        $listed = self::directory($bytes, $end['start'], $end['count']);
        $full = array_sum(array_column($listed, 'full'));
        Container::need($full <= Container::MAX_CONTENT, 'too many bytes');
        usort($listed, static fn (array $a, array $b): int => $a['offset'] <=> $b['offset']);
        $free = 0;
        $found = [];
        foreach ($listed as $entry) {
            Container::need($entry['offset'] === $free, 'bytes that belong to no entry, or to two');
            $begins = self::beginOf($bytes, $entry);
            $free = $begins + $entry['packed'];
            Container::need($free <= $end['start'], 'an entry goes on into the directory');
            $found[] = [$entry['name'], self::content(substr($bytes, $begins, $entry['packed']), $entry)];
        }
        Container::need($free === $end['start'], 'bytes that belong to no entry');
        return $found;
    }

    /** Its description of each entry, and what the entry's own header must say. */
    private static function directory(string $bytes, int $at, int $count): array
    {
        $listed = [];
        for ($number = 0; $number < $count; $number++) {
            $head = substr($bytes, $at, self::DIRECTORY_BYTES);
            $whole = strlen($head) === self::DIRECTORY_BYTES && str_starts_with($head, "PK\1\2");
            Container::need($whole, 'the directory is damaged');
            $entry = unpack(
                'vflags/vmethod/Vtime/Vcrc/Vpacked/Vfull/vlength/vextra/vcomment/vdisk/vinternal/Vattributes/Voffset',
                $head,
                8,
            );
            $plain = $entry['extra'] === 0 && $entry['comment'] === 0 && $entry['disk'] === 0;
            Container::need($plain, 'extra fields, a comment or a disk of its own');
            $readable = ($entry['flags'] & ~self::FLAGS_ALLOWED) === 0
                && in_array($entry['method'], [self::STORED, self::DEFLATED], true);
            Container::need($readable, 'encrypted, or packed in another way');
            self::checkKind($entry['attributes']);
            $name = substr($bytes, $at + self::DIRECTORY_BYTES, $entry['length']);
            Container::need($entry['full'] <= Container::limitOf($name), "$name is too large");
            $listed[] = ['name' => $name, 'header' => substr($head, 6, 24)] + $entry;
            $at += self::DIRECTORY_BYTES + $entry['length'];
        }
        Container::need($at === strlen($bytes) - self::END_BYTES, 'the directory is damaged');
        return $listed;
    }

    private static function checkKind(int $attributes): void
    {
        $kind = $attributes >> 16;
        $plain = in_array($kind & self::KIND, [0, self::PLAIN_FILE], true) && ($kind & self::SET_ID) === 0;
        Container::need($plain && ($attributes & self::NOT_A_FILE) === 0, 'not a plain file');
    }

    /** Where the entry's content begins. */
    private static function beginOf(string $bytes, array $entry): int
    {
        $local = substr($bytes, $entry['offset'], self::LOCAL_BYTES);
        $same = str_starts_with($local, "PK\3\4") && substr($local, 4, 24) === $entry['header'];
        Container::need($same, 'two headers of an entry differ');
        Container::need(substr($local, 28) === "\0\0", 'extra fields');
        $name = substr($bytes, $entry['offset'] + self::LOCAL_BYTES, strlen($entry['name']));
        Container::need($name === $entry['name'], 'two names for one entry');
        return $entry['offset'] + self::LOCAL_BYTES + strlen($name);
    }

    private static function content(string $packed, array $entry): string
    {
        $content = $entry['method'] === self::DEFLATED ? self::inflate($packed, $entry['full']) : $packed;
        $whole = strlen($content) === $entry['full'] && crc32($content) === $entry['crc'];
        Container::need($whole, 'an entry is damaged');
        return $content;
    }

    private static function inflate(string $packed, int $full): string
    {
        $stream = inflate_init(ZLIB_ENCODING_RAW);
        $content = '';
        for ($at = 0; inflate_get_status($stream) !== ZLIB_STREAM_END; $at += self::PIECE) {
            Container::need($at < strlen($packed), 'compressed content that is cut short');
            $piece = @inflate_add($stream, substr($packed, $at, self::PIECE), ZLIB_SYNC_FLUSH);
            Container::need($piece !== false, 'compressed content that cannot be read');
            $content .= $piece;
            Container::need(strlen($content) <= $full, 'an entry is larger than it says');
        }
        $end = inflate_get_read_len($stream) === strlen($packed);
        Container::need($end, 'compressed content that ends elsewhere');
        return $content;
    }
}
