<?php

declare(strict_types=1);

namespace Acuse;

/**
 * A genuine delivery. `data` is a model where the type is known, else what came; `eventId` recognises repeats;
 * `replayProtected` is false for a delivery without a time; `raw` is the whole body.
 *
 * @phpstan-import-type Data from EventType
 */
final readonly class WebhookEvent
{
    /** @param Data $data `instanceof Types\EmailBouncedData` tells what it holds */
    public function __construct(
        public string $type,
        public string $createdAt,
        public Model|\stdClass $data,
        public ?string $eventId,
        public bool $replayProtected,
        public \stdClass $raw,
    ) {
    }

    /** @return array<string, mixed> what var_dump and print_r show */
    public function __debugInfo(): array
    {
        return ['type' => $this->type, 'eventId' => $this->eventId];
    }
}
