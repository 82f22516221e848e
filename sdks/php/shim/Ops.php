<?php

declare(strict_types=1);

use Acuse\Attachment;
use Acuse\BatchEntry;
use Acuse\Checkpoint;
use Acuse\Client;
use Acuse\Errors\AcuseError;
use Acuse\Internal\Call;
use Acuse\Internal\Codec;
use Acuse\Internal\Operations;
use Acuse\Internal\Options;
use Acuse\Listing;
use Acuse\Model;
use Acuse\Policy;
use Acuse\Sent;
use Acuse\Together;
use Acuse\Verifier;
use Acuse\Version;
use Acuse\Webhook;
use Acuse\WebhookEvent;

/** The operations of the shim, in the words of sdks/conformance/README.md. */
final class Ops
{
    private const NAMES = [
        'info', 'send', 'send_raw', 'send_many', 'send_file', 'send_batch', 'call', 'list', 'pages',
        'download_bundle', 'wait_until_sealed', 'verify_webhook', 'verify_bundle', 'log_checkpoint', 'log_follow',
        'check_promise', 'roundtrip', 'print',
    ];

    /** @param mixed $exact the arguments with objects as objects */
    public function __construct(
        private readonly array $args,
        private readonly array $options,
        private readonly mixed $exact,
        private readonly Record $record,
    ) {
    }

    public function run(string $op): mixed
    {
        if (!in_array($op, self::NAMES, true)) {
            throw new LogicException("unknown op $op");
        }
        return $this->{lcfirst(str_replace('_', '', ucwords($op, '_')))}();
    }

    private function info(): array
    {
        return [
            'language' => 'php', 'version' => Version::TEXT, 'level' => Verifier::LEVEL,
            'user_agent' => Call::userAgent(new Options(['apiKey' => 'acuse_a_b', 'baseUrl' => 'http://localhost'])),
            'operations' => self::operations($this->options === []
                ? new Client('acuse_a_b', 'http://localhost')
                : $this->client()),
        ];
    }

    private function send(): array
    {
        $message = Codec::decode(['ref', 'Send'], $this->exact->message, 'message');
        return self::sent($this->client()->messages->send($message, $this->args['idempotency_key'] ?? null));
    }

    private function sendRaw(): array
    {
        $content = base64_decode($this->args['content'], true);
        return self::sent($this->client()->messages->sendRaw($content, $this->args['idempotency_key'] ?? null));
    }

    private function sendFile(): array
    {
        $message = $this->args['message'];
        $message['attachments'][] = Attachment::fromFile($this->args['path']);
        return self::sent($this->client()->messages->send($message, $this->args['idempotency_key'] ?? null));
    }

    /** PHP has no threads: as many calls at once as there would be threads. */
    private function sendMany(): array
    {
        $messages = $this->client()->messages;
        $calls = [];
        for ($number = 0; $number < $this->args['count']; $number++) {
            $message = ['subject' => "{$this->args['message']['subject']} $number"] + $this->args['message'];
            $key = isset($this->args['keys']) ? $this->args['keys'] . $number : null;
            $calls[] = function () use ($messages, $message, $key): Sent {
                Record::$byFiber[Fiber::getCurrent()] = $this->record;
                return $messages->send($message, $key);
            };
        }
        $results = Together::run($calls, $this->args['threads'] ?? 1);
        return ['results' => array_map(static fn (mixed $each): array => $each instanceof Throwable
            ? ['error' => Clients::error($each)]
            : ['id' => $each->message->id, 'replayed' => $each->replayed], $results)];
    }

    private function sendBatch(): array
    {
        $entries = $this->client()->messages->sendBatch($this->args['items']);
        return ['results' => array_map(static fn (BatchEntry $each): array => [
            'status' => $each->status, 'idempotency_key' => $each->idempotencyKey, 'message' => $each->message,
            'error' => $each->error === null ? null : Clients::error($each->error),
        ], $entries)];
    }

    private function call(): mixed
    {
        $result = $this->invoke();
        return match (true) {
            $result instanceof Listing => $result->firstPage(),
            $result instanceof Sent => $result->message,
            is_string($result) => self::operation($this->args['operation'])['result'] === 'bytes'
                ? ['base64' => base64_encode($result)] : ['text' => $result],
            default => $result,
        };
    }

    private function list(): array
    {
        $items = [];
        $take = $this->args['take'] ?? null;
        foreach ($this->invoke() as $item) {
            $items[] = $item;
            if (count($items) === $take) {
                return ['items' => $items, 'more' => true];
            }
        }
        return ['items' => $items, 'more' => false];
    }

    private function pages(): array
    {
        $pages = [];
        $take = $this->args['take'] ?? null;
        foreach ($this->invoke()->pages() as $page) {
            $pages[] = $page->data;
            if (count($pages) === $take) {
                break;
            }
        }
        return ['pages' => $pages];
    }

    private function downloadBundle(): array
    {
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $bytes = $this->client()->evidence->downloadBundle($this->args['message_id'], $this->args['path']);
        return ['bytes' => $bytes, 'peak_bytes' => memory_get_peak_usage() - $before];
    }

    private function waitUntilSealed(): Model
    {
        return $this->client()->evidence->waitUntilSealed($this->args['message_id'], $this->args['within_ms'] / 1_000);
    }

    private function verifyWebhook(): array
    {
        $event = $this->event();
        return [
            'type' => $event->type, 'created_at' => $event->createdAt, 'data' => $event->data,
            'event_id' => $event->eventId, 'replay_protected' => $event->replayProtected,
        ];
    }

    private function verifyBundle(): array
    {
        $policy = $this->args['policy'];
        $report = Verifier::verify(
            $this->args['path'],
            $policy === 'TRUST_BUNDLE' ? Verifier::TRUST_BUNDLE : Policy::load($policy),
            isset($this->args['at']) ? new DateTimeImmutable($this->args['at']) : null,
            $this->args['eml'] ?? null,
            isset($this->args['now']) ? new DateTimeImmutable($this->args['now']) : null,
        );
        return [
            'copy' => $report->copy?->verdict,
            'reasons' => array_column($report->reasons, 'name'),
            'warnings' => array_column($report->warnings, 'name'),
        ] + $report->jsonSerialize();
    }

    private function logCheckpoint(): array
    {
        return self::checkpoint($this->client()->log->checkpoint($this->args['pinned_key']));
    }

    private function logFollow(): array
    {
        $saved = Checkpoint::load($this->args['saved'], $this->args['pinned_key']);
        return self::checkpoint($this->client()->log->follow($saved));
    }

    private function checkPromise(): array
    {
        $log = $this->client()->log;
        $message = Codec::decode(['ref', 'Message'], $this->exact->message, 'message');
        return ['state' => $log->checkPromise($message, $log->checkpoint($this->args['pinned_key']))->state];
    }

    private static function checkpoint(Checkpoint $found): array
    {
        return [
            'origin' => $found->origin, 'tree_size' => $found->size, 'root_hash' => base64_encode($found->root),
            'saved' => $found->note,
        ];
    }

    private function roundtrip(): mixed
    {
        $type = ['ref', $this->args['schema']];
        return Codec::encode($type, Codec::decode($type, $this->exact->value, $this->args['schema']));
    }

    private function print(): array
    {
        return ['texts' => array_merge(...array_map(self::printed(...), $this->shown()))];
    }

    private function shown(): array
    {
        if ($this->args['what'] === 'client') {
            return [$this->client(), $this->client()->messages];
        }
        if ($this->args['what'] === 'event') {
            return [$this->event()];
        }
        try {
            return [$this->client()->messages->send($this->args['message'])];
        } catch (AcuseError $error) {
            return [$error, $error->getTraceAsString(), $error->getTrace(), ...$this->record->attempts];
        }
    }

    /** Every way in which PHP prints a value. */
    private static function printed(mixed $value): array
    {
        ob_start();
        var_dump($value);
        $dumped = ob_get_clean();
        $texts = [$dumped, print_r($value, true), (string) json_encode([$value])];
        if (!$value instanceof Client) {
            $texts[] = $value instanceof Throwable ? (string) $value : '';
        }
        try {
            $texts[] = @var_export($value, true);
            $texts[] = serialize($value);
        } catch (Throwable) {
            // What is not to be written cannot be.
        }
        return array_map(static fn (string $text): string => mb_scrub($text, 'UTF-8'), $texts);
    }

    private function event(): WebhookEvent
    {
        $base64 = $this->args['body_base64'] ?? null;
        return Webhook::verify(
            $this->args['body'] ?? ($base64 === null ? $this->args['parsed'] : base64_decode($base64, true)),
            $this->args['headers'],
            $this->args['secrets'],
            tolerance: $this->args['tolerance'] ?? Webhook::TOLERANCE,
            acceptUnstamped: $this->args['accept_unstamped'] ?? false,
            now: $this->args['now'] ?? null,
        );
    }

    private function client(): Client
    {
        return Clients::for($this->options);
    }

    private function invoke(): mixed
    {
        [$resource, $name] = explode('.', $this->args['operation']);
        $params = $this->args['params'] ?? [];
        $given = [];
        foreach (self::operation($this->args['operation'])['pathParams'] as $path) {
            $given[] = $params[$path];
            unset($params[$path]);
        }
        if (array_key_exists('body', $this->args)) {
            $body = $this->args['body'];
            $bytes = is_array($body) && array_keys($body) === ['base64'];
            $given[] = $bytes ? base64_decode($body['base64'], true) : $body;
        }
        if (isset($this->args['idempotency_key'])) {
            $given[] = $this->args['idempotency_key'];
        }
        foreach ($params as $param => $value) {
            $given[lcfirst(str_replace(['-', '_'], '', ucwords($param, '-_')))] = $value;
        }
        return $this->client()->$resource->$name(...$given);
    }

    private static function operation(string $name): array
    {
        return array_column(Operations::ALL, null, 'name')[$name];
    }

    /** The neutral names, by the public methods of the client's resources. */
    private static function operations(Client $client): array
    {
        $found = [];
        foreach ((new ReflectionClass($client))->getProperties(ReflectionProperty::IS_PUBLIC) as $property) {
            $resource = new ReflectionClass($property->getValue($client));
            foreach ($resource->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
                $found[] = "{$property->getName()}.{$method->getName()}";
            }
        }
        return array_values(array_intersect($found, array_column(Operations::ALL, 'name')));
    }

    private static function sent(Sent $sent): array
    {
        return [
            'message' => $sent->message, 'replayed' => $sent->replayed, 'idempotency_key' => $sent->idempotencyKey,
            'attempts' => $sent->attempts, 'request_id' => $sent->response->requestId,
        ];
    }
}
