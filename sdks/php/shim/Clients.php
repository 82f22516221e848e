<?php

declare(strict_types=1);

use Acuse\AttemptEvent;
use Acuse\Cancelled;
use Acuse\Client;
use Acuse\Errors\AcuseError;
use Acuse\Errors\NotABundleError;
use Acuse\Internal\Loop;

/** The shim's clients, by their options, and its words for errors. */
final class Clients
{
    private const PLAIN = [
        'api_key' => 'apiKey', 'base_url' => 'baseUrl', 'app_info' => 'appInfo', 'ca_file' => 'caFile',
        'proxy' => 'proxy', 'allow_insecure' => 'allowInsecure', 'max_retries' => 'maxRetries',
    ];
    private const TIMES = [
        'connect_timeout_ms' => 'connectTimeout', 'timeout_ms' => 'timeout', 'deadline_ms' => 'deadline',
    ];
    private const TOLD = [
        'status' => 'status', 'errorCode' => 'code', 'fix' => 'fix', 'requestId' => 'request_id',
        'retryAfter' => 'retry_after', 'attempts' => 'attempts', 'phase' => 'phase',
        'outcomeUnknown' => 'outcome_unknown', 'idempotencyKey' => 'idempotency_key', 'reason' => 'reason',
    ];

    /** @var array<string, Client> */
    private static array $made = [];

    /** One for each text of options, shared. */
    public static function for(array $options): Client
    {
        $given = array_filter($options, static fn (mixed $each): bool => $each !== null);
        return self::$made[json_encode($options)] ??= self::make($given);
    }

    private static function make(array $given): Client
    {
        $settings = [];
        foreach (self::PLAIN as $name => $ours) {
            if (isset($given[$name])) {
                $settings[$ours] = $given[$name];
            }
        }
        foreach (self::TIMES as $name => $ours) {
            if (isset($given[$name])) {
                $settings[$ours] = $given[$name] / 1_000;
            }
        }
        if (isset($given['now_ms'])) {
            $settings['wallClock'] = static fn (): float => $given['now_ms'] / 1_000;
        }
        $settings['random'] = static fn (): float => (float) ($given['random'] ?? 0);
        $settings['sleep'] = static function (float $seconds) use ($given): void {
            Record::current()->sleeps[] = (int) round(1_000 * $seconds);
            if (($given['sleep'] ?? '') === 'real') {
                Loop::pause($seconds);
            }
        };
        $settings['onAttempt'] = static function (AttemptEvent $event) use ($given): void {
            $told = [];
            foreach (get_object_vars($event) as $name => $value) {
                $told[strtolower(preg_replace('/[A-Z]/', '_$0', $name))] = $value;
            }
            Record::current()->attempts[] = $told;
            if (($given['hook'] ?? '') === 'throw') {
                throw new RuntimeException('the hook throws');
            }
        };
        return new Client(...$settings);
    }

    public static function error(Throwable $error, ?Record $record = null): array
    {
        $known = $error instanceof AcuseError || $error instanceof Cancelled;
        $named = $error instanceof NotABundleError ? 'VerifyError' : (new ReflectionClass($error))->getShortName();
        $found = ['class' => $known ? $named : 'ShimError'];
        $found['text'] = $known ? $error->getMessage() : (string) $error;
        $found['message'] = $error->getMessage();
        foreach (self::TOLD as $ours => $name) {
            if ($known && isset($error->$ours)) {
                $found[$name] = $error->$ours;
            }
        }
        if ($record?->cancelledAt !== null) {
            $found['elapsed_ms'] = (int) round(1_000 * (microtime(true) - $record->cancelledAt));
        }
        return $found;
    }
}
