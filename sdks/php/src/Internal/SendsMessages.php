<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\BatchFailed;
use Acuse\BatchSent;
use Acuse\Errors\AcuseError;
use Acuse\Sent;
use Acuse\Types\BatchItem;
use Acuse\Types\Send;

/** What sends, of the operations of messages. @internal */
trait SendsMessages
{
    /**
     * Sends a message. With an idempotency key, calling again with the same message sends nothing twice, however
     * often and from wherever; without it a key is made, which protects this call's own retries and no other. A job
     * that may run twice needs a key of its own.
     * @param array<string, mixed>|Send $message from, to, subject, text, html, …
     * @param string|null $idempotencyKey 1 to 255 printable ASCII characters
     * @throws AcuseError its idempotencyKey is the one to try again with
     */
    public function send(#[\SensitiveParameter] array|Send $message, ?string $idempotencyKey = null): Sent
    {
        return $this->sent('sendMessage', $idempotencyKey, self::bytes('sendMessage', $message));
    }

    /**
     * Sends a message that is composed already.
     * @param string $content the bytes of a message/rfc822
     * @throws AcuseError its idempotencyKey is the one to try again with
     */
    public function sendRaw(#[\SensitiveParameter] string $content, ?string $idempotencyKey = null): Sent
    {
        return $this->sent('sendRawMessage', $idempotencyKey, $content);
    }

    /**
     * Sends a message again, as a new one, to the same recipient.
     * @throws AcuseError its idempotencyKey is the one to try again with
     */
    public function resend(string $id, ?string $idempotencyKey = null): Sent
    {
        return $this->sent('resendMessage', $idempotencyKey, null, ['id' => $id]);
    }

    /**
     * Sends any number of messages, in as many requests as they need. Items without `idempotency_key` get one. It
     * never throws for single items.
     * @param iterable<array<string, mixed>|BatchItem> $items
     * @return list<BatchSent|BatchFailed> one for each item, in order
     */
    public function sendBatch(#[\SensitiveParameter] iterable $items): array
    {
        return (new Batch($this->core))->run($items);
    }

    private function sent(
        string $id,
        ?string $key,
        #[\SensitiveParameter] ?string $body,
        array $path = [],
    ): Sent {
        $key = self::checkedKey($key);
        $request = new Request($id, $path, [], $body, ['idempotency-key' => $key]);
        $answer = (new Call($this->core, $request))->run();
        $replayed = ($answer->info->headers['idempotent-replayed'] ?? '') === 'true';
        return new Sent($answer->value, $replayed, $key, $answer->info->attempts, $answer->info);
    }
}
