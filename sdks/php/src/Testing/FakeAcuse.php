<?php

declare(strict_types=1);

namespace Acuse\Testing;

use Acuse\Client;
use Acuse\ErrorCode;
use Acuse\Internal\Attempt;
use Acuse\Internal\Reply;
use Acuse\Internal\Transport;
use Acuse\Types\Message;

/**
 * A service in memory: it knows sends, batches, replays, reading a message, and refusals that are scripted.
 *
 *     $fake = new FakeAcuse();
 *     program($fake->client());
 *     assert($fake->sent[0]['to'] === 'ana@example.com');
 */
final class FakeAcuse implements Transport
{
    public const KEY = 'acuse_fake_0000000000000000';

    /** @var list<array<string, mixed>> what was accepted, in order; a composed message as ['raw' => …] */
    public array $sent = [];
    /** @var list<array{string, string}> method and path of all that was asked */
    public array $requests = [];
    /** @var array<string, array> */
    private array $messages = [];
    /** @var array<string, array{array<string, mixed>, string}> key => what was given, id */
    private array $keys = [];
    /** @var list<array{string, string}> */
    private array $refusals = [];

    /** A client of this service; it does not wait between attempts. */
    public function client(mixed ...$options): Client
    {
        return new Client(
            self::KEY,
            'http://localhost',
            ...$options,
            ...['transport' => $this],
            ...(isset($options['sleep']) ? [] : ['sleep' => static fn (float $seconds): null => null])
        );
    }

    /** The next so many requests are refused with this code. */
    public function refuse(string $code, string $message = 'Refused by the test.', int $times = 1): void
    {
        if (!isset(ErrorCode::FIXES[$code])) {
            throw new \InvalidArgumentException("$code is not an error code of Acuse.");
        }
        array_push($this->refusals, ...array_fill(0, $times, [$code, $message]));
    }

    /** @internal */
    public function request(Attempt $attempt): Reply
    {
        $path = (string) parse_url($attempt->url, PHP_URL_PATH);
        $this->requests[] = [$attempt->http, $path];
        $refusal = array_shift($this->refusals);
        if ($refusal !== null) {
            return self::refusal(...$refusal);
        }
        $asked = "$attempt->http $path";
        if ($asked === 'POST /v1/messages') {
            $json = str_starts_with($attempt->headers['content-type'], 'application/json');
            $draft = $json ? json_decode($attempt->body, true) : ['raw' => $attempt->body];
            return $this->accept($draft, $attempt->headers['idempotency-key'] ?? '');
        }
        if ($asked === 'POST /v1/messages/batch') {
            return $this->batch(json_decode($attempt->body, true)['messages']);
        }
        $message = $this->messages[substr($path, strlen('/v1/messages/'))] ?? null;
        if ($attempt->http === 'GET' && $message !== null) {
            return self::answer(200, $message);
        }
        return self::refusal(ErrorCode::NOT_FOUND, "FakeAcuse does not know $asked.");
    }

    /** @internal */
    public function close(): void
    {
    }

    private function accept(array $draft, string $key): Reply
    {
        if ($key === '') {
            return self::refusal(ErrorCode::MISSING_IDEMPOTENCY_KEY, 'Send an Idempotency-Key.');
        }
        if (isset($this->keys[$key])) {
            [$known, $id] = $this->keys[$key];
            return $known === self::sorted($draft)
                ? self::answer(200, $this->messages[$id], ['idempotent-replayed' => 'true'])
                : self::refusal(ErrorCode::IDEMPOTENCY_KEY_REUSED, 'The key belongs to another message.');
        }
        $message = self::message($draft, $key);
        $this->keys[$key] = [self::sorted($draft), $message['id']];
        $this->messages[$message['id']] = $message;
        $this->sent[] = $draft;
        return self::answer(201, $message);
    }

    private function batch(array $items): Reply
    {
        $counts = ['created' => 0, 'replayed' => 0, 'failed' => 0];
        $results = [];
        foreach ($items as $index => $item) {
            $key = $item['idempotency_key'] ?? '';
            unset($item['idempotency_key']);
            $reply = $this->accept($item, $key);
            $status = [200 => 'replayed', 201 => 'created'][$reply->status] ?? 'failed';
            $counts[$status]++;
            $told = json_decode($reply->body);
            $results[] = ['index' => $index, 'status' => $status]
                + ($status === 'failed' ? ['error' => $told->error] : ['message' => $told]);
        }
        return self::answer(200, $counts + ['results' => $results]);
    }

    /** A send alone and an item of a batch may have the same fields in another order. */
    private static function sorted(array $draft): array
    {
        ksort($draft);
        return $draft;
    }

    private static function message(array $draft, string $key): array
    {
        $hex = bin2hex(random_bytes(16));
        return [
            'id' => vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split($hex, 4)),
            'idempotency_key' => $key,
            'from' => $draft['from'] ?? '',
            'to' => ((array) ($draft['to'] ?? ''))[0],
            'subject' => $draft['subject'] ?? '',
            'certified' => ($draft['certified'] ?? true) !== false,
            'status' => 'queued',
            'tags' => $draft['tags'] ?? [],
            'metadata' => (object) ($draft['metadata'] ?? []),
            'size_bytes' => 1_000,
            'created_at' => gmdate('Y-m-d\TH:i:s.000\Z'),
            'attempts' => 0,
        ] + array_map(static fn () => null, array_filter(Message::FIELDS, self::isNeverYet(...)));
    }

    /** True for a field that stays null until something happens to the message. */
    private static function isNeverYet(array $field): bool
    {
        [, $required, $nullable] = $field;
        return $required && $nullable;
    }

    private static function refusal(string $code, string $message): Reply
    {
        return self::answer(ErrorCode::FIXES[$code][0], ['error' => ['code' => $code, 'message' => $message]]);
    }

    private static function answer(int $status, array $body, array $headers = []): Reply
    {
        return new Reply($status, $headers, json_encode($body, JSON_THROW_ON_ERROR));
    }
}
