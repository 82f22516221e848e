<?php

declare(strict_types=1);

use Acuse\BatchFailed;
use Acuse\BatchSent;
use Acuse\Cancelled;
use Acuse\Client;
use Acuse\Errors\AcuseError;
use Acuse\Errors\ConfigurationError;
use Acuse\Errors\NotFoundError;
use Acuse\Sent;
use Acuse\Testing\FakeAcuse;
use Acuse\Testing\Sandbox;
use Acuse\Together;
use Acuse\Types\Message;
use PHPUnit\Framework\TestCase;

/** Calls, against a service in memory, and against nobody. The wire is tried by sdks/conformance. */
final class CallsTest extends TestCase
{
    private const DRAFT = ['from' => 'billing@sandbox.test', 'to' => 'delivered@sandbox.test', 'text' => 'BodyCanary'];

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

    public function testTheFakeTakesBatches(): void
    {
        $fake = new FakeAcuse();
        $messages = $fake->client()->messages;
        $first = $messages->send(self::DRAFT, 'k');
        $other = ['text' => 'Other.'] + self::DRAFT;
        $done = $messages->sendBatch([
            ['idempotency_key' => 'k'] + self::DRAFT,
            ['idempotency_key' => 'k'] + $other,
            ['idempotency_key' => 'l'] + $other,
        ]);
        self::assertSame(['replayed', 'failed', 'created'], array_column($done, 'status'));
        self::assertSame([BatchSent::class, BatchFailed::class, BatchSent::class], array_map('get_class', $done));
        self::assertSame($first->message->id, $done[0]->message->id);
        self::assertCount(2, $fake->sent);
    }

    public function testTheClassOfAnOutcomeSaysWhatItHas(): void
    {
        $types = static fn (string $class): array => array_map(
            static fn (string $name): string => (string) (new ReflectionProperty($class, $name))->getType(),
            ['message', 'error'],
        );
        self::assertSame([Message::class, 'null'], $types(BatchSent::class));
        self::assertSame(['null', AcuseError::class], $types(BatchFailed::class));
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

    public function testAddressesOfTheSandbox(): void
    {
        self::assertSame('bounced+tag@sandbox.test', Sandbox::address('bounced', 'tag'));
    }
}
