<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Errors\WebhookError;
use Acuse\Internal\Codec;
use Acuse\Internal\Undecodable;

/** Deliveries of webhooks. */
final class Webhook
{
    /** Seconds by which a delivery's time may differ from this clock. */
    public const TOLERANCE = 300;
    private const MAX_SIGNATURES = 10;
    private const STAMPED = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    private const UNSTAMPED = ['service-signature', 'service-signature-previous'];
    private const RAW_BODY = 'Pass the bytes of the request, not a parsed body: in plain PHP '
        . "file_get_contents('php://input'), in Laravel and Symfony \$request->getContent(), "
        . 'with PSR-7 (string) $request->getBody().';
    private const PREFIX = 'whsec_';

    /**
     * @param mixed $body the bytes of the request as they came
     * @param iterable<string, string|list<string>> $headers names in any case: getallheaders(), $_SERVER,
     *   $request->headers->all(), $request->getHeaders()
     * @param string|list<string> $secrets the endpoint's, or both while a rotated one is still valid
     * @param bool $acceptUnstamped also takes a delivery that has Service-Signature alone: it has no time, so that
     *   whoever records one can repeat it for ever
     * @throws WebhookError its reason says why
     */
    public static function verify(
        #[\SensitiveParameter] mixed $body,
        iterable $headers,
        #[\SensitiveParameter] string|array $secrets,
        int $tolerance = self::TOLERANCE,
        bool $acceptUnstamped = false,
        ?int $now = null,
    ): WebhookEvent {
        if (!is_string($body)) {
            throw new WebhookError('parsed_body', self::RAW_BODY);
        }
        $keys = self::keys((array) $secrets);
        $found = self::headers($headers);
        $missing = array_values(array_diff(self::STAMPED, array_keys($found)));
        if ($missing !== []) {
            self::checkUnstamped($body, $found, $keys, $missing, $acceptUnstamped);
            return self::event($body, null, false);
        }
        [$id, $timestamp, $signatures] = array_map(static fn ($name) => $found[$name], self::STAMPED);
        self::checkTime($timestamp, $now ?? time(), $tolerance);
        if (!self::signed("$id.$timestamp.$body", $signatures, $keys)) {
            throw new WebhookError(
                'no_match',
                'No webhook-signature matches: check the secret, and that the body is passed as it came.',
            );
        }
        return self::event($body, $id, true);
    }

    /** Each secret as its text and as the bytes that it encodes. */
    private static function keys(#[\SensitiveParameter] array $secrets): array
    {
        if ($secrets === []) {
            throw new WebhookError('bad_secret', 'There is no webhook secret: pass the one that the endpoint has.');
        }
        return array_map(static function (#[\SensitiveParameter] mixed $secret): array {
            $prefixed = is_string($secret) && str_starts_with($secret, self::PREFIX);
            $decoded = $prefixed ? self::base64(substr($secret, strlen(self::PREFIX))) : '';
            if ($decoded === '') {
                throw new WebhookError(
                    'bad_secret',
                    'A webhook secret is whsec_ and base64: pass it as it was shown.',
                );
            }
            return [$secret, $decoded];
        }, $secrets);
    }

    /** RFC 4648 §4, in its one form; empty: it is not. */
    private static function base64(#[\SensitiveParameter] string $text): string
    {
        $bytes = base64_decode($text, true);
        return $bytes !== false && base64_encode($bytes) === $text ? $bytes : '';
    }

    private static function headers(iterable $headers): array
    {
        $found = [];
        foreach ($headers as $name => $value) {
            $plain = strtolower((string) $name);
            if (str_starts_with($plain, 'http_')) {
                $plain = strtr(substr($plain, strlen('http_')), '_', '-');
            }
            $text = implode(' ', array_filter((array) $value, is_string(...)));
            if ($text !== '') {
                $found[$plain] = $text;
            }
        }
        return $found;
    }

    private static function checkTime(string $timestamp, int $now, int $tolerance): void
    {
        if (preg_match('/\A[0-9]{1,12}\z/', $timestamp) !== 1) {
            throw new WebhookError('malformed_header', 'webhook-timestamp is not a time in Unix seconds.');
        }
        $age = $now - (int) $timestamp;
        if ($age > $tolerance) {
            throw new WebhookError('too_old', "The delivery is $age s old: a replay, or this clock is fast.");
        }
        if (-$age > $tolerance) {
            throw new WebhookError('too_new', 'The delivery is ' . -$age . ' s in the future: check this clock.');
        }
    }

    /** Every signature is compared with every secret, whatever matches. */
    private static function signed(
        #[\SensitiveParameter] string $content,
        string $signatures,
        #[\SensitiveParameter] array $keys,
    ): bool {
        $given = array_slice(preg_split('/\s+/', trim($signatures)), 0, self::MAX_SIGNATURES);
        $matches = false;
        foreach ($keys as [, $key]) {
            $expected = 'v1,' . base64_encode(hash_hmac('sha256', $content, $key, true));
            foreach ($given as $text) {
                $matches = hash_equals($expected, $text) || $matches;
            }
        }
        return $matches;
    }

    private static function checkUnstamped(
        #[\SensitiveParameter] string $body,
        array $found,
        #[\SensitiveParameter] array $keys,
        array $missing,
        bool $accepted,
    ): void {
        $given = array_intersect_key($found, array_flip(self::UNSTAMPED));
        if ($given === [] || count($missing) < count(self::STAMPED)) {
            throw new WebhookError('missing_header', "$missing[0] is missing: pass all headers of the request.");
        }
        if (!$accepted) {
            throw new WebhookError(
                'unstamped',
                'The delivery has Service-Signature alone, which has no time: whoever recorded one could repeat it '
                . 'for ever. acceptUnstamped: true takes it all the same.',
            );
        }
        $matches = false;
        foreach ($keys as [$key]) {
            $expected = 'sha256=' . hash_hmac('sha256', $body, $key);
            foreach ($given as $text) {
                $matches = hash_equals($expected, $text) || $matches;
            }
        }
        if (!$matches) {
            throw new WebhookError(
                'no_match',
                'Service-Signature does not match: check the secret, and that the body is passed as it came.',
            );
        }
    }

    private static function event(#[\SensitiveParameter] string $body, ?string $id, bool $protected): WebhookEvent
    {
        try {
            $raw = Codec::parse($body);
        } catch (Undecodable) {
            throw new WebhookError('malformed_body', 'The body is signed, but it is not JSON in UTF-8.');
        }
        $data = $raw->data ?? null;
        $type = $raw->type ?? null;
        $created = $raw->created_at ?? null;
        if (!$data instanceof \stdClass || !is_string($type) || !is_string($created)) {
            throw new WebhookError('malformed_body', 'The body is signed, but it is not an event.');
        }
        $own = $data->event_id ?? null;
        $eventId = $id ?? (is_string($own) ? $own : null);
        return new WebhookEvent($type, $created, self::data($type, $data), $eventId, $protected, $raw);
    }

    /** Only type, created_at and data.message_id are promised: what does not fit arrives as it came. */
    private static function data(string $type, \stdClass $data): Model|\stdClass
    {
        $name = EventType::DATA[$type] ?? null;
        try {
            return $name === null ? $data : Codec::decode(['ref', $name], $data, $type);
        } catch (Undecodable) {
            return $data;
        }
    }
}
