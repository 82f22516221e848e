<?php

declare(strict_types=1);

namespace Acuse\Testing;

/** Deliveries of webhooks as the service makes them. */
final class Deliveries
{
    /**
     * @param array<string, mixed> $event type, data, whose event_id is the delivery's id, else a new one, and
     *     created_at, else the time of the delivery
     * @param int|null $at Unix time; default: now
     * @return array{string, array<string, string>} body and headers
     */
    public static function sign(array $event, #[\SensitiveParameter] string $secret, ?int $at = null): array
    {
        if (!is_string($event['type'] ?? null)) {
            throw new \InvalidArgumentException('The event has no type: give a text, such as email.sent.');
        }
        if (!is_array($event['data'] ?? null)) {
            throw new \InvalidArgumentException('The event has no data: give an array with a message_id.');
        }
        $at ??= time();
        $event['created_at'] ??= gmdate('Y-m-d\TH:i:s.000\Z', $at);
        $body = json_encode($event, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        $id = (string) ($event['data']['event_id'] ?? bin2hex(random_bytes(16)));
        $stamp = (string) $at;
        $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, strlen('whsec_')), true) : false;
        if ($key === false) {
            throw new \InvalidArgumentException(
                'A webhook secret is whsec_ and base64, such as whsec_c2VjcmV0IG9mIGEgdGVzdA==.',
            );
        }
        return [$body, [
            'Content-Type' => 'application/json',
            'Service-Event' => $event['type'],
            'Service-Signature' => 'sha256=' . hash_hmac('sha256', $body, $secret),
            'webhook-id' => $id,
            'webhook-timestamp' => $stamp,
            'webhook-signature' => 'v1,' . base64_encode(hash_hmac('sha256', "$id.$stamp.$body", $key, true)),
        ]];
    }
}
