<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

use Acuse\Copy;

/** A received copy against what was sealed: docs/evidence-format.md, section 10. @internal */
final class Received
{
    /** Bytes of a received message: ours, and what relays put before it. */
    public const MAX_BYTES = 64 * 1_024 * 1_024;
    private const MAX_LINE = 998;
    private const CHECK = 'received_copy';
    /** The fields that relays write. The list is closed. */
    private const TRACE = [
        'arc-authentication-results', 'arc-message-signature', 'arc-seal', 'authentication-results',
        'authentication-results-original', 'delivered-to', 'delivery-date', 'dkim-filter', 'dkim-signature',
        'dmarc-filter', 'domainkey-signature', 'envelope-to', 'old-authentication-results',
        'original-authentication-results', 'received', 'received-spf', 'return-path',
    ];
    /** Fields that mail programs show or act upon, although their names begin with X-. */
    private const SHOWN = [
        'x-confirm-reading-to', 'x-face', 'x-image-url', 'x-message-flag', 'x-msmail-priority',
        'x-original-from', 'x-originalfrom', 'x-priority', 'x-reply-to', 'x-sender', 'x-unsent',
    ];

    /**
     * @param array<string, mixed> $openings
     * @param string|null $sealed message.eml of the bundle
     * @throws NotChecked the verdict hangs on a charset that is not read here
     */
    public static function compare(string $received, array $openings, ?string $sealed): Copy
    {
        if ($openings['content'] === 'erased') {
            return new Copy(Copy::NOT_COMPARABLE, false, false, false);
        }
        try {
            Form::need(strlen($received) <= self::MAX_BYTES, self::CHECK, 'too large');
            $message = preg_replace('/\r\n?|\n/', "\r\n", $received);
            Form::need($message !== null, self::CHECK, 'it cannot be read');
            return self::judge($message, $openings['mail'], $sealed);
        } catch (Refused) {
            return new Copy(Copy::DIFFERS, false, false, false);
        }
    }

    /** @throws Refused @throws NotChecked */
    private static function judge(string $message, array $mail, ?string $sealed): Copy
    {
        $fields = Layers::fields($message, self::CHECK);
        $bytes = self::isWhole($message, $fields, $mail['raw'] ?? null);
        $header = self::isSame(Layers::relaxedHeader($message), $mail['header'] ?? null)
            && self::hasNothingStrange($fields, $sealed === null ? [] : Layers::fields($sealed, self::CHECK));
        $relaxed = $header && self::isSame(Layers::relaxedBody($message), $mail['body'] ?? null);
        $partsAlone = !isset($mail['raw']) && !isset($mail['body']);
        try {
            $parts = self::holdsParts(Layers::parts($message), $mail['parts']);
        } catch (NotChecked $problem) {
            if ($partsAlone && $mail['parts'] !== [] && !$bytes && !$relaxed) {
                throw $problem;
            }
            $parts = null;
        }
        $verdict = match (true) {
            $bytes || $relaxed => Copy::SAME,
            $partsAlone && $parts === true => Copy::PARTS,
            default => Copy::DIFFERS,
        };
        return new Copy($verdict, $bytes, $relaxed, $parts);
    }

    private static function isSame(string $layer, ?array $opening): bool
    {
        return $opening !== null && hash('sha256', $layer) === $opening['sha256'];
    }

    private static function holdsParts(array $found, array $wanted): bool
    {
        foreach ($wanted as $part) {
            if (!in_array(Content::factsOf($part), $found, true)) {
                return false;
            }
        }
        return $wanted !== [];
    }

    /**
     * From its first evidence field on it is the sealed message, and before that is trace alone.
     * @param list<array{string, string, int}> $fields
     */
    private static function isWhole(string $message, array $fields, ?array $opening): bool
    {
        foreach ($fields as [$name, $raw, $start]) {
            if ($name === 'service-evidence') {
                return self::isSame(substr($message, $start), $opening);
            }
            if (!self::isTrace($name, $raw)) {
                return false;
            }
        }
        return false;
    }

    private static function isTrace(string $name, string $raw): bool
    {
        $named = in_array($name, self::TRACE, true)
            || (str_starts_with($name, 'x-') && !in_array($name, self::SHOWN, true));
        return $named && self::isPlain($raw);
    }

    /** Every program sees the same field in it. */
    private static function isPlain(string $raw): bool
    {
        if (preg_match('/\A[!-9;-~]+:/', $raw) !== 1) {
            return false;
        }
        foreach (explode("\r\n", $raw) as $line) {
            $blank = trim($line, " \t") === '';
            if ($blank || strlen($line) > self::MAX_LINE || preg_match('/[^\t\x20-\x7e\x80-\xff]/', $line) === 1) {
                return false;
            }
        }
        return true;
    }

    /**
     * Each field is covered by the seal, trace, or occurs equally often in the sealed message.
     * @param list<array{string, string, int}> $received
     * @param list<array{string, string, int}> $sealed
     */
    private static function hasNothingStrange(array $received, array $sealed): bool
    {
        $left = array_count_values(array_map(Layers::relaxedField(...), $sealed));
        foreach ($received as $field) {
            [$name, $raw] = $field;
            $plain = self::isPlain($raw);
            if (self::isTrace($name, $raw) || ($plain && Layers::isCovered($name))) {
                continue;
            }
            $relaxed = Layers::relaxedField($field);
            $left[$relaxed] = ($left[$relaxed] ?? 0) - 1;
            if (!$plain || $left[$relaxed] < 0) {
                return false;
            }
        }
        return true;
    }
}
