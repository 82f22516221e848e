<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The layers of a message: docs/evidence-format.md, section 2. @internal */
final class Layers
{
    private const MAX_FIELDS = 2_000;
    private const MAX_ENTITIES = 128;
    private const MAX_NESTING = 20;
    private const MAX_FIELD_BYTES = 8_192;
    private const COVERED = [
        'from', 'to', 'cc', 'subject', 'date', 'message-id', 'reply-to', 'in-reply-to', 'references',
        'mime-version', 'content-type', 'content-transfer-encoding', 'service-evidence',
    ];
    private const MEDIA_TYPE = '~\A[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+\z~';
    private const AS_UTF8 = ['', 'utf-8', 'utf8', 'us-ascii', 'ascii'];
    private const CHECK = 'message_parts';

    /** @var list<array{filename: ?string, media_type: string, sha256: string, size: int}> */
    private array $found = [];
    private int $entities = 0;

    private function __construct()
    {
    }

    /** RFC 6376 §3.4.2, of the fields that are covered. @throws Refused */
    public static function relaxedHeader(string $message): string
    {
        [$fields] = self::split($message, 'message_relaxed');
        $lines = '';
        foreach (self::COVERED as $wanted) {
            foreach ($fields as $field) {
                if ($field[0] === $wanted) {
                    $lines .= self::relaxedField($field);
                }
            }
        }
        return $lines;
    }

    /** Its name and value but for white space. @param array{string, string, int} $field */
    public static function relaxedField(array $field): string
    {
        [$name, $raw] = $field;
        $value = str_replace("\r\n", '', self::valueOf($raw));
        return "$name:" . trim(self::squeezed($value), ' ') . "\r\n";
    }

    /** True if the hash of the header covers fields of this name, which is in lower case. */
    public static function isCovered(string $name): bool
    {
        return in_array($name, self::COVERED, true);
    }

    /**
     * Header fields: name, whole field, and where it begins.
     * @return list<array{string, string, int}>
     * @throws Refused
     */
    public static function fields(string $message, string $check): array
    {
        return self::split($message, $check)[0];
    }

    /** RFC 6376 §3.4.4 @throws Refused */
    public static function relaxedBody(string $message): string
    {
        [, $body] = self::split($message, 'message_relaxed');
        $relaxed = preg_replace('/ (?=\r\n|\z)/', '', self::squeezed($body));
        $end = strlen($relaxed);
        while ($end >= 2 && substr_compare($relaxed, "\r\n", $end - 2, 2) === 0) {
            $end -= 2;
        }
        return $end === 0 ? '' : substr($relaxed, 0, $end) . "\r\n";
    }

    /**
     * The facts of each leaf part, in document order.
     * @return list<array{filename: ?string, media_type: string, sha256: string, size: int}>
     * @throws Refused
     * @throws NotChecked a charset that is read in other libraries alone
     */
    public static function parts(string $message): array
    {
        $layers = new self();
        $layers->collect($message, 0);
        return $layers->found;
    }

    /**
     * Header fields, each as its name in lower case, the whole field without its last CRLF and its place, and
     * the body. A line that begins with space or tab continues the one before it.
     * @return array{list<array{string, string, int}>, string}
     */
    private static function split(string $message, string $check): array
    {
        $found = [];
        $start = 0;
        while ($start < strlen($message)) {
            $end = self::lineEnd($message, $start);
            if ($end === $start) {
                return [$found, substr($message, $start + 2)];
            }
            while (in_array($message[$end + 2] ?? '', [' ', "\t"], true)) {
                $end = self::lineEnd($message, $end + 2);
            }
            Form::need(count($found) < self::MAX_FIELDS, $check, 'more than ' . self::MAX_FIELDS . ' header fields');
            $raw = substr($message, $start, $end - $start);
            $colon = strpos($raw, ':');
            $found[] = [strtolower(rtrim(substr($raw, 0, (int) $colon), " \t")), $raw, $start];
            $start = $end + 2;
        }
        return [$found, ''];
    }

    private static function lineEnd(string $message, int $start): int
    {
        $end = strpos($message, "\r\n", $start);
        return $end === false ? strlen($message) : $end;
    }

    private static function valueOf(string $field): string
    {
        return explode(':', $field, 2)[1] ?? '';
    }

    /** Runs of space and tab as one space. */
    private static function squeezed(string $text): string
    {
        return preg_replace('/[ \t]++/', ' ', $text);
    }

    private function collect(string $entity, int $depth): void
    {
        $few = ++$this->entities <= self::MAX_ENTITIES;
        Form::need($few, self::CHECK, 'more than ' . self::MAX_ENTITIES . ' parts');
        [$fields, $body] = self::split($entity, self::CHECK);
        [$kind, $parameters] = self::contentType($fields);
        $boundary = str_starts_with($kind, 'multipart/') ? $parameters['boundary'] ?? '' : '';
        if ($boundary === '') {
            $this->found[] = self::leaf($fields, $kind, $parameters, $body);
            return;
        }
        Form::need($depth < self::MAX_NESTING, self::CHECK, 'nested deeper than ' . self::MAX_NESTING);
        foreach (self::children($body, $boundary) as $child) {
            $this->collect($child, $depth + 1);
        }
    }

    /**
     * RFC 2046 §5.1.1
     * @return list<string>
     */
    private static function children(string $body, string $boundary): array
    {
        $parts = [];
        $begins = null;
        $delimiter = '/(?:\A|(?<=\n))--' . preg_quote($boundary, '/') . '(--)?[ \t]*(?:\z|\r[^\n]*(?:\n|\z)|\n)/';
        for ($at = 0; preg_match($delimiter, $body, $found, PREG_OFFSET_CAPTURE, $at) === 1; $at = $behind) {
            [$line, $place] = $found[0];
            $behind = $place + strlen($line);
            if ($begins !== null) {
                // The CRLF before a delimiter belongs to it.
                $parts[] = substr($body, $begins, max(0, $place - 2 - $begins));
            }
            Form::need(count($parts) <= self::MAX_ENTITIES, self::CHECK, 'too many parts');
            if (isset($found[1])) {
                return $parts;
            }
            $begins = $behind;
            if ($behind === strlen($body)) {
                break;
            }
        }
        return $begins === null ? $parts : [...$parts, substr($body, $begins)];
    }

    /** @param list<array{string, string, int}> $fields */
    private static function field(array $fields, string $wanted): ?string
    {
        foreach ($fields as [$name, $raw]) {
            if ($name === $wanted) {
                $value = substr(self::valueOf($raw), 0, self::MAX_FIELD_BYTES);
                $text = mb_check_encoding($value, 'UTF-8')
                    ? $value
                    : mb_convert_encoding($value, 'UTF-8', 'ISO-8859-1');
                return preg_replace('/\A[\s\pZ]+|[\s\pZ]+\z/u', '', str_replace("\r\n", '', $text));
            }
        }
        return null;
    }

    /** @return array{string, array<string, string>} media type and parameters */
    private static function contentType(array $fields): array
    {
        [$kind, $parameters] = Parameters::parse(self::field($fields, 'content-type') ?? 'text/plain');
        return preg_match(self::MEDIA_TYPE, $kind) === 1 ? [$kind, $parameters] : ['text/plain', []];
    }

    private static function leaf(array $fields, string $kind, array $parameters, string $body): array
    {
        [, $disposition] = Parameters::parse(self::field($fields, 'content-disposition') ?? '');
        $name = $disposition['filename'] ?? $parameters['name'] ?? null;
        $content = match (strtolower(self::field($fields, 'content-transfer-encoding') ?? '')) {
            'base64' => Text::ofBase64($body),
            'quoted-printable' => Text::ofQuotedPrintable($body),
            default => $body,
        };
        if (str_starts_with($kind, 'text/') && $name === null) {
            $charset = $parameters['charset'] ?? '';
            if (!in_array(strtolower($charset), self::AS_UTF8, true)) {
                $content = Text::ofCharset($content, $charset);
            }
            $content = self::trimmed($content);
        }
        return [
            'filename' => $name,
            'media_type' => $kind,
            'sha256' => hash('sha256', $content),
            'size' => strlen($content),
        ];
    }

    private static function trimmed(string $text): string
    {
        $plain = str_replace(["\r\n", "\r"], "\n", $text);
        return rtrim(preg_replace('/(?<![ \t])[ \t]++(?=\n)/', '', $plain), " \t\n");
    }
}
