<?php

declare(strict_types=1);

use Acuse\Cancelled;
use Acuse\Client;
use Acuse\Errors\AcuseError;
use Acuse\Together;
use PHPUnit\Framework\TestCase;

/** contract/vectors/exchanges.json, played by a raw server. */
final class ExchangesTest extends TestCase
{
    private const FILE = __DIR__ . '/../../../contract/vectors/exchanges.json';
    private const DRAFT = ['from' => 'a@sandbox.test', 'to' => 'b@sandbox.test', 'subject' => 'Hi', 'text' => 'Hi'];
    private const UNSHOWN =
        '/[\x00-\x08\x0b-\x1f\x7f-\x{9f}\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]/u';

    private static array $file = [];

    /**
     * @dataProvider cases
     */
    public function testExchange(int $number): void
    {
        $case = self::$file['cases'][$number];
        $pipes = [];
        $command = [PHP_BINARY, __DIR__ . '/exchange-peer.php', self::FILE, (string) $number];
        $peer = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
        $port = (int) fgets($pipes[1]);
        $error = self::outcome(self::client($case, $port), $case);
        fclose($pipes[0]);
        [$requests, $taken] = array_map('intval', explode(' ', (string) fgets($pipes[1])));
        proc_close($peer);
        $out = $case['out'];
        $class = $error === null ? 'ok' : (new ReflectionClass($error))->getShortName();
        self::assertContains($class, [$out['class'], $out['or'] ?? null], (string) $error);
        if ($out['requests'] !== null) {
            self::assertSame($out['requests'], $requests, 'requests');
        }
        if ($out['taken_max'] !== null) {
            self::assertLessThanOrEqual($out['taken_max'], $taken, 'bytes taken');
        }
        if ($error !== null && $out['key']) {
            self::assertSame(self::$file['idempotency_key'], $error->idempotencyKey);
        }
        if ($error instanceof AcuseError) {
            self::check($out, $error);
        }
    }

    public static function cases(): iterable
    {
        if (!file_exists(self::FILE)) {
            return [];
        }
        self::$file = json_decode((string) file_get_contents(self::FILE), true);
        foreach (self::$file['cases'] as $number => $case) {
            yield $case['name'] => [$number];
        }
    }

    private static function client(array $case, int $port): Client
    {
        $limit = $case['limit_ms'] === null ? null : $case['limit_ms'] / 1_000;
        $limits = $limit === null ? [] : ['timeout' => $limit, 'deadline' => $limit, 'connectTimeout' => $limit];
        return new Client(
            self::$file['api_key'],
            (isset($case['tls']) ? 'https' : 'http') . "://127.0.0.1:$port",
            ...$limits,
            maxRetries: $case['max_retries'],
            random: static fn (): float => 0.0,
            sleep: static function (): void {
            },
        );
    }

    private static function outcome(Client $acuse, array $case): ?Throwable
    {
        $ends = isset($case['cancel_after_ms']) ? hrtime(true) + 1e6 * $case['cancel_after_ms'] : INF;
        $cancelled = static fn (): bool => hrtime(true) >= $ends;
        [$result] = Together::run([static fn (): mixed => self::call($acuse, $case['call'])], 1, $cancelled);
        if ($result instanceof Throwable && !$result instanceof AcuseError && !$result instanceof Cancelled) {
            throw $result;
        }
        if ($case['call'] === 'batch' && is_array($result)) {
            return $result[0]->error;
        }
        return $result instanceof Throwable ? $result : null;
    }

    private static function call(Client $acuse, string $call): mixed
    {
        ['id' => $id, 'idempotency_key' => $key] = self::$file;
        return match ($call) {
            'send' => $acuse->messages->send(self::DRAFT, $key),
            'batch' => $acuse->messages->sendBatch([self::DRAFT + ['idempotency_key' => $key]]),
            'read' => $acuse->messages->get($id),
            'list' => $acuse->messages->list()->firstPage(),
            'create' => $acuse->apiKeys->create(['name' => 'a', 'scopes' => ['send']]),
            'delete' => $acuse->webhooks->delete($id),
        };
    }

    private static function check(array $out, AcuseError $error): void
    {
        self::assertSame($out['outcome_unknown'], $error->outcomeUnknown, 'outcomeUnknown');
        foreach (['status' => 'status', 'code' => 'errorCode', 'retry_after' => 'retryAfter'] as $name => $property) {
            if ($out[$name] !== null) {
                self::assertEquals($out[$name], $error->$property, $name);
            }
        }
        if ($out['message'] !== null) {
            self::assertStringStartsWith($out['message'], $error->getMessage());
        }
        foreach ([$error->getMessage(), (string) $error, print_r($error, true)] as $text) {
            self::assertDoesNotMatchRegularExpression(self::UNSHOWN, $text);
            self::assertStringNotContainsString('canarycanary', $text);
        }
    }
}
