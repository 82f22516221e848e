<?php

declare(strict_types=1);

namespace Acuse;

/**
 * A genuine delivery. `data` is a model where the type is known, else what came; `eventId` recognises repeats;
 * `replayProtected` is false for a delivery without a time; `raw` is the whole body.
 */
final class WebhookEvent
{
    public function __construct(
        public readonly string $type,
        public readonly string $createdAt,
        public readonly Model|\stdClass $data,
        public readonly ?string $eventId,
        public readonly bool $replayProtected,
        public readonly \stdClass $raw,
    ) {
    }

    /** @return array<string, mixed> what var_dump and print_r show */
    public function __debugInfo(): array
    {
        return ['type' => $this->type, 'eventId' => $this->eventId];
    }
}
