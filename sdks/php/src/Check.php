<?php

declare(strict_types=1);

namespace Acuse;

/** One step of a verification. `ok`: null where it was not checked. */
final readonly class Check implements \JsonSerializable
{
    /** @internal */
    public function __construct(
        public string $name,
        public ?bool $ok,
        public string $detail,
    ) {
    }

    /** @return array{name: string, ok: ?bool, detail: string} */
    public function jsonSerialize(): array
    {
        return get_object_vars($this);
    }
}
