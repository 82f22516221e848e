<?php

declare(strict_types=1);

namespace Acuse;

/** A reason or a warning of a report: a code, and a sentence. */
final readonly class Remark implements \JsonSerializable
{
    /** @internal */
    public function __construct(
        public string $name,
        public string $detail,
    ) {
    }

    /** @return array{name: string, detail: string} */
    public function jsonSerialize(): array
    {
        return get_object_vars($this);
    }
}
