<?php

declare(strict_types=1);

use Acuse\AttemptEvent;
use Acuse\Cancelled;
use Acuse\Client;
use Acuse\Errors\ConfigurationError;
use Acuse\Errors\NotFoundError;
use Acuse\Errors\RefusedError;
use Acuse\Errors\UnavailableError;
use Acuse\Sent;
use Acuse\Testing\FakeAcuse;
use Acuse\Testing\Sandbox;
use Acuse\Together;
use PHPUnit\Framework\TestCase;

/** Calls, against a service in memory, and against nobody. The wire is tried by sdks/conformance. */
final class CallsTest extends TestCase
{
    private const DRAFT = ['from' => 'billing@sandbox.test', 'to' => 'delivered@sandbox.test', 'text' => 'BodyCanary'];

    public function testSendReturnsTheMessageAndTheReplayIndicator(): void
    {
        $fake = new FakeAcuse();
        $acuse = $fake->client();
        $first = $acuse->messages->send(self::DRAFT, 'invoice-1');
        $again = $acuse->messages->send(self::DRAFT, idempotencyKey: 'invoice-1');
        self::assertFalse($first->replayed);
        self::assertTrue($again->replayed);
        self::assertSame($first->message->id, $again->message->id);
        self::assertSame([self::DRAFT], $fake->sent);
        self::assertSame($first->message->id, $acuse->messages->get($first->message->id)->id);
        $this->expectException(RefusedError::class);
        $acuse->messages->send(['text' => 'Other.'] + self::DRAFT, 'invoice-1');
    }

    public function testARetryKeepsTheKeyAndTellsTheHook(): void
    {
        $events = [];
        $sleeps = [];
        $fake = new FakeAcuse();
        $fake->refuse('unavailable', times: 2);
        $acuse = $fake->client(
            random: static fn (): float => 0.0,
            sleep: static function (float $seconds) use (&$sleeps): void {
                $sleeps[] = $seconds;
            },
            onAttempt: static function (AttemptEvent $event) use (&$events): void {
                $events[] = [$event->attempt, $event->status, $event->code, $event->error, $event->retryInMs];
                throw new LogicException('a hook that throws changes nothing');
            },
        );
        $sent = $acuse->messages->send(self::DRAFT);
        self::assertSame(3, $sent->attempts);
        self::assertMatchesRegularExpression('/\Aauto_[0-9a-f-]{14}4[0-9a-f-]{21}\z/', $sent->idempotencyKey);
        self::assertSame([0.25, 0.5], $sleeps);
        self::assertSame([1, 503, 'unavailable', 'UnavailableError', 250.0], $events[0]);
        self::assertSame([3, 201, null, null, null], $events[2]);
    }

    public function testAnErrorHasItsFixAndTheKeyToTryAgainWith(): void
    {
        $fake = new FakeAcuse();
        $fake->refuse('unavailable', times: 9);
        try {
            $fake->client()->messages->send(self::DRAFT, 'invoice-1');
            self::fail('it was sent');
        } catch (UnavailableError $error) {
            self::assertSame([503, 4, 'invoice-1'], [$error->status, $error->attempts, $error->idempotencyKey]);
            self::assertNotEmpty($error->fix);
            self::assertTrue($error->outcomeUnknown);
        }
        $this->expectException(NotFoundError::class);
        (new FakeAcuse())->client()->messages->get('none');
    }

    public function testABatchKeepsTheOrderAndThrowsForNoItem(): void
    {
        $fake = new FakeAcuse();
        $items = static function (): Generator {
            yield self::DRAFT + ['idempotency_key' => 'a'];
            yield self::DRAFT + ['idempotency_key' => "a\r\n"];
            yield from array_fill(0, 120, self::DRAFT);
            yield self::DRAFT + ['idempotency_key' => 'a'];
        };
        $entries = $fake->client()->messages->sendBatch($items());
        self::assertCount(123, $entries);
        self::assertSame(range(0, 122), array_column($entries, 'index'));
        self::assertSame(['created', 'failed', 'created'], array_column(array_slice($entries, 0, 3), 'status'));
        self::assertInstanceOf(ConfigurationError::class, $entries[1]->error);
        self::assertSame('replayed', $entries[122]->status);
        self::assertCount(2, $fake->requests);
    }

    public function testTogetherGivesEachItsResultUnderItsKey(): void
    {
        $acuse = (new FakeAcuse())->client();
        $results = Together::run([
            'sent' => static fn (): Sent => $acuse->messages->send(self::DRAFT),
            'none' => static fn () => $acuse->messages->get('none'),
        ]);
        self::assertInstanceOf(Sent::class, $results['sent']);
        self::assertInstanceOf(NotFoundError::class, $results['none']);
    }

    public function testTogetherCancelsWhatWaits(): void
    {
        $silent = stream_socket_server('tcp://127.0.0.1:0');
        $acuse = new Client('acuse_a_b', 'http://' . stream_socket_get_name($silent, false));
        $looks = 0;
        $cancelled = static function () use (&$looks): bool {
            return ++$looks > 3;
        };
        $results = Together::run([static fn () => $acuse->account->get()], cancelled: $cancelled);
        self::assertInstanceOf(Cancelled::class, $results[0]);
        fclose($silent);
    }

    /** @dataProvider refusedOptions */
    public function testRefusedBeforeAnyRequest(array $options): void
    {
        $this->expectException(ConfigurationError::class);
        new Client(...$options + ['apiKey' => 'acuse_a_b']);
    }

    public static function refusedOptions(): array
    {
        return [
            [['apiKey' => '']],
            [['apiKey' => "acuse_a_b\n"]],
            [['baseUrl' => 'http://mail.example']],
            [['baseUrl' => 'https://a:b@mail.example']],
            [['baseUrl' => 'https://mail.example?x']],
            [['baseUrl' => 'ftp://localhost']],
            [['baseUrl' => 'http://127.0.0.1.mail.example']],
            [['timeout' => 0]],
            [['maxRetries' => -1]],
            [['appInfo' => "x\r\ny"]],
            [['colour' => 'green']],
        ];
    }

    public function testNoIdLeadsToAnotherPath(): void
    {
        $fake = new FakeAcuse();
        foreach (['', '.', '..'] as $id) {
            try {
                $fake->client()->messages->get($id);
                self::fail("asked for '$id'");
            } catch (ConfigurationError) {
                self::assertSame([], $fake->requests);
            }
        }
        try {
            $fake->client()->messages->get('../account?x#y');
        } catch (NotFoundError) {
            self::assertSame('/v1/messages/..%2Faccount%3Fx%23y', $fake->requests[0][1]);
        }
    }

    public function testNothingPrintsTheKeyOrABody(): void
    {
        $acuse = new Client('acuse_0123_CanaryCanary', 'http://127.0.0.1:9', sleep: static fn (float $s): null => null);
        $view = $acuse->withOptions(maxRetries: 0);
        try {
            $view->messages->send(self::DRAFT);
            self::fail('it was sent');
        } catch (\Acuse\Errors\ConnectionError $error) {
            self::assertSame('connect', $error->phase);
        }
        foreach ([$acuse, $view, $view->messages, $error] as $each) {
            ob_start();
            var_dump($each);
            $texts = [ob_get_clean(), print_r($each, true), json_encode([$each])];
            $texts[] = $each instanceof Throwable ? $each . $each->getTraceAsString() : var_export($each, true);
            self::assertStringNotContainsString('Canary', implode($texts));
        }
    }

    public function testAddressesOfTheSandbox(): void
    {
        self::assertSame('bounced+tag@sandbox.test', Sandbox::address('bounced', 'tag'));
    }
}
