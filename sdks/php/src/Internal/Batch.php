<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\BatchFailed;
use Acuse\BatchSent;
use Acuse\ErrorCode;
use Acuse\Errors\AcuseError;
use Acuse\Errors\ApiError;
use Acuse\Errors\ConfigurationError;
use Acuse\Errors\ProtocolError;
use Acuse\Model;

/** Many messages: cut into requests, each item with a key of its own and a result of its own. @internal */
final class Batch extends Resource
{
    /** Items of one request. */
    private const MAX_ITEMS = 100;
    /** Addresses in to, cc and bcc of all items of one request. */
    private const MAX_RECIPIENTS = 1_000;
    /** The size of one request; the server takes 64 MiB. */
    private const MAX_BYTES = 60 * 1024 * 1024;
    /** Codes of items that are tried again under their key. */
    private const RETRIED = [ErrorCode::UNAVAILABLE, ErrorCode::INTERNAL_ERROR];
    private const HEAD = '{"messages":[';
    private const TAIL = ']}';
    private const REFUSED = 422;

    /** @var array<int, BatchSent|BatchFailed> */
    private array $entries = [];

    /** @return list<BatchSent|BatchFailed> */
    public function run(#[\SensitiveParameter] iterable $items): array
    {
        $index = 0;
        $group = [];
        $size = $recipients = 0;
        foreach ($items as $given) {
            $part = $this->prepared($index++, $given);
            if ($part === null) {
                continue;
            }
            $size += strlen($part->bytes) + 1;
            $recipients += $part->recipients;
            $room = self::MAX_BYTES - strlen(self::HEAD . self::TAIL);
            $full = count($group) === self::MAX_ITEMS || $size > $room || $recipients > self::MAX_RECIPIENTS;
            if ($full && $group !== []) {
                $this->sendGroup($group);
                $group = [];
                $size = strlen($part->bytes) + 1;
                $recipients = $part->recipients;
            }
            $group[] = $part;
        }
        if ($group !== []) {
            $this->sendGroup($group);
        }
        ksort($this->entries);
        return array_values($this->entries);
    }

    private function prepared(int $index, #[\SensitiveParameter] mixed $given): ?BatchPart
    {
        $fields = $given instanceof Model ? $given->toArray() : $given;
        $key = is_array($fields) ? $fields['idempotency_key'] ?? null : null;
        try {
            if (!is_array($fields) || !($key === null || is_string($key))) {
                throw new ConfigurationError('An item of a batch is an array or a model; its idempotency_key is text.');
            }
            $key = self::checkedKey($key);
            $bytes = Codec::write(['ref', 'BatchItem'], ['idempotency_key' => $key] + $fields);
            $recipients = 0;
            foreach (['to', 'cc', 'bcc'] as $name) {
                $recipients += count((array) ($fields[$name] ?? []));
            }
            return new BatchPart($index, $key, $bytes, $recipients);
        } catch (ConfigurationError $error) {
            $this->entries[$index] = new BatchFailed($index, 'failed', is_string($key) ? $key : '', $error);
            return null;
        }
    }

    /**
     * One request, and others for what the service could not do just then.
     * @param list<BatchPart> $group
     */
    private function sendGroup(array $group): void
    {
        $options = $this->core->options;
        $ends = $options->clock() + $options->get('deadline');
        for ($attempt = 1; $group !== []; $attempt++) {
            $answer = $this->request($group);
            if ($answer === null) {
                return;
            }
            $group = $this->note($group, $answer);
            $delayMs = $group === [] ? null : $this->delayAfter($attempt, $answer, $ends - $options->clock());
            if ($delayMs === null) {
                return;
            }
            $options->sleep($delayMs / 1_000);
        }
    }

    private function request(array $group): ?Answer
    {
        $bytes = implode(',', array_map(static fn (BatchPart $part): string => $part->bytes, $group));
        try {
            $request = new Request('sendBatch', body: self::HEAD . $bytes . self::TAIL);
            return (new Call($this->core, $request))->run();
        } catch (AcuseError $error) {
            foreach ($group as $part) {
                // What refused it in an earlier request stands, unless it may have been accepted since.
                if (isset($this->entries[$part->index]) && !$error->outcomeUnknown) {
                    continue;
                }
                $status = $error->outcomeUnknown ? 'unknown' : 'failed';
                $this->entries[$part->index] = new BatchFailed($part->index, $status, $part->key, $error);
            }
            return null;
        }
    }

    private function delayAfter(int $attempt, Answer $answer, float $timeLeft): ?int
    {
        $options = $this->core->options;
        $decision = Decide::decide('keyed', new Outcome(Outcome::ANSWER, 503, 'unavailable'), new Situation(
            $attempt,
            $options->get('maxRetries'),
            $answer->info->headers,
            $options->random(),
            $this->core->budget->tokens,
            1_000 * $timeLeft,
            $options->wallClockMs(),
        ));
        return $decision->retry && $this->core->budget->take(Decide::RETRY_COST) ? $decision->delay : null;
    }

    /**
     * Writes down the outcome of each item.
     * @return list<BatchPart> those to be tried again
     */
    private function note(array $group, Answer $answer): array
    {
        $told = array_column($answer->value->results, null, 'index');
        $again = [];
        foreach ($group as $position => $part) {
            $entry = $this->entry($part, $told[$position] ?? null, $answer);
            $this->entries[$part->index] = $entry;
            if ($entry->error instanceof ApiError && in_array($entry->error->errorCode, self::RETRIED, true)) {
                $again[] = $part;
            }
        }
        return $again;
    }

    private function entry(BatchPart $part, ?Model $told, Answer $answer): BatchSent|BatchFailed
    {
        if ($told?->message !== null && $told->error === null) {
            $status = $told->status === 'replayed' ? 'replayed' : 'created';
            return new BatchSent($part->index, $status, $part->key, $told->message);
        }
        if ($told?->error === null) {
            $error = new ProtocolError('The answer says nothing about this item.', $answer->info->status);
            $error->outcomeUnknown = true;
        } else {
            $code = $told->error->code;
            $status = ErrorCode::FIXES[$code][0] ?? self::REFUSED;
            $class = ErrorClasses::of($status, $code);
            $error = new $class($status, $code, $told->error->message, $answer->info->requestId);
        }
        $error->idempotencyKey = $part->key;
        $error->attempts = $answer->info->attempts;
        $state = $told?->error === null ? 'unknown' : 'failed';
        return new BatchFailed($part->index, $state, $part->key, $error);
    }
}
