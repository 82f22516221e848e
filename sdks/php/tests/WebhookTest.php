<?php

declare(strict_types=1);

use Acuse\Errors\WebhookError;
use Acuse\EventType;
use Acuse\Testing\Deliveries;
use Acuse\Webhook;
use Acuse\WebhookEvent;
use PHPUnit\Framework\TestCase;

/** contract/vectors/webhooks.json */
final class WebhookTest extends TestCase
{
    private static function verify(array $given): WebhookEvent
    {
        return Webhook::verify(
            $given['body'],
            $given['headers'],
            $given['secrets'],
            $given['tolerance'],
            $given['accept_unstamped'],
            $given['now']
        );
    }

    public function testVectors(): void
    {
        foreach (vectors('webhooks.json')['cases'] as $given) {
            try {
                $event = self::verify($given);
                $found = ['event' => [
                    'type' => $event->type, 'created_at' => $event->createdAt, 'data' => $event->data,
                    'event_id' => $event->eventId, 'replay_protected' => $event->replayProtected,
                ]];
            } catch (WebhookError $error) {
                $found = ['reason' => $error->reason];
            }
            self::assertEquals($given['out'], json_decode(json_encode($found), true), $given['name']);
        }
    }

    public function testTheTypeOfTheDataIsThatOfEveryEvent(): void
    {
        preg_match('/@phpstan-type Data (\S+)$/m', (new ReflectionClass(EventType::class))->getDocComment(), $found);
        $named = array_map(static fn (string $name) => "Types\\$name", array_unique(array_values(EventType::DATA)));
        self::assertSame([...$named, '\stdClass'], explode('|', $found[1]));
        self::assertStringContainsString(
            '@param Data $data',
            (new ReflectionMethod(WebhookEvent::class, '__construct'))->getDocComment()
        );
        foreach (vectors('webhooks.json')['cases'] as $given) {
            $type = $given['out']['event']['type'] ?? null;
            if (isset(EventType::DATA[$type])) {
                $class = 'Acuse\\Types\\' . EventType::DATA[$type];
                self::assertInstanceOf($class, self::verify($given)->data, $given['name']);
            }
        }
    }

    public function testAParsedBodyIsRefusedWithTheCallThatGivesTheBytes(): void
    {
        $this->expectExceptionMessage('getContent()');
        Webhook::verify(['type' => 'x'], [], 'whsec_AAAA');
    }

    public function testTakesTheHeadersOfServer(): void
    {
        $given = vectors('webhooks.json')['cases'][0];
        $server = ['REQUEST_TIME' => 1];
        foreach ($given['headers'] as $name => $value) {
            $server['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
        }
        self::assertSame('email.queued', self::verify(['headers' => $server] + $given)->type);
    }

    public function testASecretThatIsNoneIsRefusedWithItsForm(): void
    {
        foreach (['', 'c2VjcmV0', 'whsec_x', 'whsec_a*b='] as $secret) {
            try {
                Deliveries::sign(['type' => 'x.y', 'data' => []], $secret);
                self::fail("$secret was taken");
            } catch (\InvalidArgumentException $error) {
                self::assertStringContainsString('whsec_ and base64', $error->getMessage());
            }
        }
    }

    public function testADeliveryWithoutCreatedAtIsOfItsOwnTime(): void
    {
        $at = 1_795_513_800;
        $event = ['type' => 'x.y', 'data' => ['message_id' => 'm1']];
        [$body, $headers] = Deliveries::sign($event, 'whsec_AAAA', $at);
        $seen = Webhook::verify($body, $headers, 'whsec_AAAA', now: $at);
        self::assertSame('2026-11-24T09:50:00.000Z', $seen->createdAt);
    }

    public function testAnEventWithoutTypeOrDataIsRefused(): void
    {
        $wrong = [[['type' => 'x.y'], 'data'], [['type' => 'x.y', 'data' => null], 'data'], [['data' => []], 'type']];
        foreach ($wrong as [$event, $what]) {
            try {
                Deliveries::sign($event, 'whsec_AAAA');
                self::fail("taken without $what");
            } catch (\InvalidArgumentException $error) {
                self::assertStringStartsWith("The event has no $what: give", $error->getMessage());
            }
        }
    }

    public function testTheTestKitSignsAsTheServiceDoes(): void
    {
        $event = ['type' => 'x.y', 'created_at' => '2026-11-20T09:30:00.000Z', 'data' => ['event_id' => 'e1']];
        [$body, $headers] = Deliveries::sign($event, 'whsec_AAAA');
        self::assertSame('e1', Webhook::verify($body, $headers, 'whsec_AAAA')->eventId);
        [$body, $headers] = Deliveries::sign(['data' => ['message_id' => 'm1']] + $event, 'whsec_AAAA');
        self::assertNotEmpty(Webhook::verify($body, $headers, 'whsec_AAAA')->eventId);
    }
}
