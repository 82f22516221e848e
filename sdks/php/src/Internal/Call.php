<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\AttemptEvent;
use Acuse\Cancelled;
use Acuse\Errors\AcuseError;
use Acuse\Errors\ApiError;
use Acuse\Version;

/** One call: its attempts, the decisions between them, its answer. @internal */
final class Call
{
    /** A JSON answer beyond this is refused. */
    private const MAX_JSON_BYTES = 16 * 1024 * 1024;
    /** Content that is kept in memory: a proof bundle is a file of at most 144 MiB. */
    private const MAX_CONTENT_BYTES = 160 * 1024 * 1024;

    private readonly Options $options;
    private int $attempt = 0;
    private bool $unknown = false;
    private int $spent = 0;

    public function __construct(private readonly Core $core, private readonly Request $request)
    {
        $this->options = $core->options;
    }

    /** How a client names itself. */
    public static function userAgent(Options $options): string
    {
        $agent = 'acuse-php/' . Version::TEXT . ' (php/' . PHP_VERSION . '; ' . strtolower(PHP_OS_FAMILY) . ')';
        return trim("$agent {$options->get('appInfo')}");
    }

    /** @throws AcuseError|Cancelled */
    public function run(): Answer
    {
        try {
            return $this->attempts();
        } catch (Cancelled $cancelled) {
            $cancelled->idempotencyKey = $this->request->headers['idempotency-key'] ?? null;
            $cancelled->attempts = $this->attempt;
            throw $cancelled;
        }
    }

    private function attempts(): Answer
    {
        $ends = $this->options->clock() + $this->options->get('deadline');
        while (true) {
            $this->attempt++;
            $began = $this->options->clock();
            if ($this->request->rewind !== null) {
                ($this->request->rewind)();
            }
            $reply = $this->core->transport->request($this->attempt(max(0.001, $ends - $began)));
            $reader = new Reader($this->request, $this->options, $this->attempt, $this->unknown);
            [$outcome, $result] = $reader->read($reply);
            if ($result instanceof Answer) {
                $this->core->budget->succeed($this->spent);
                $this->tell($reply, null, null, $began);
                return $result;
            }
            $delayMs = $this->delayAfter($outcome, $reply, $ends - $this->options->clock());
            $this->tell($reply, $result, $delayMs, $began);
            if ($delayMs === null) {
                throw $this->completed($result);
            }
            $this->options->sleep($delayMs / 1_000);
        }
    }

    private function attempt(float $timeLeft): Attempt
    {
        $body = $this->request->body;
        $operation = $this->request->operation;
        $allowed = $this->options->get('timeout') + strlen($body ?? '') / Options::BYTES_PER_SECOND;
        $small = !in_array($operation['result'], ['bytes', 'text'], true);
        return new Attempt(
            $operation['http'],
            $this->options->url . $this->request->target,
            $this->headers(),
            $this->options->apiKey,
            $body,
            min($allowed, $timeLeft),
            min($this->options->get('connectTimeout'), $timeLeft),
            $small ? self::MAX_JSON_BYTES : self::MAX_CONTENT_BYTES,
            $this->request->sink,
            !$this->request->mayBeRepeated(),
        );
    }

    private function headers(): array
    {
        $operation = $this->request->operation;
        $made = [
            'accept' => $operation['accept'] ?? 'application/json',
            'accept-encoding' => 'identity',
            'user-agent' => self::userAgent($this->options),
            'acuse-attempt' => (string) $this->attempt,
        ];
        if ($this->request->body !== null) {
            $made['content-type'] = $operation['media'] ?? 'application/json';
        }
        return $this->request->headers + $made;
    }

    /** Milliseconds until the next attempt, which is paid for; null when there is none. */
    private function delayAfter(Outcome $outcome, Reply|Failure $reply, float $timeLeft): ?int
    {
        $this->unknown = $this->unknown || ($this->request->changes() && $outcome->unknown());
        $decision = Decide::decide($this->request->operation['retry'], $outcome, new Situation(
            $this->attempt,
            $this->options->get('maxRetries'),
            $reply instanceof Reply ? $reply->headers : [],
            $this->options->random(),
            $this->core->budget->tokens,
            1_000 * $timeLeft,
            $this->options->wallClockMs(),
        ));
        $cost = Decide::costOf($outcome);
        if (!$decision->retry || !$this->core->budget->take($cost)) {
            return null;
        }
        $this->spent += $cost;
        return $decision->delay;
    }

    private function completed(AcuseError $error): AcuseError
    {
        $error->attempts = $this->attempt;
        $error->idempotencyKey = $this->request->headers['idempotency-key'] ?? null;
        $error->outcomeUnknown = $error->outcomeUnknown || $this->unknown;
        return $error;
    }

    private function tell(Reply|Failure $reply, ?AcuseError $error, ?int $delayMs, float $began): void
    {
        $answer = $reply instanceof Reply ? $reply : null;
        $requestId = $answer === null ? null : Reader::requestId($answer);
        if ($error !== null) {
            $error->requestId ??= $requestId;
        }
        $hook = $this->options->get('onAttempt');
        if ($hook === null) {
            return;
        }
        try {
            $hook(new AttemptEvent(
                $this->request->operation['name'],
                $this->attempt,
                $answer?->status,
                $error instanceof ApiError ? $error->errorCode : null,
                $requestId,
                round(1_000 * ($this->options->clock() - $began), 3),
                $delayMs === null ? null : (float) $delayMs,
                $error === null ? null : (new \ReflectionClass($error))->getShortName(),
            ));
        } catch (\Throwable) {
            // A hook that throws changes nothing: the message may be sent already.
        }
    }
}
