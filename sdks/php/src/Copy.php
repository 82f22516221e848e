<?php

declare(strict_types=1);

namespace Acuse;

/** How a message that somebody received compares with the one that was sealed. */
final readonly class Copy implements \JsonSerializable
{
    /** The same, byte for byte or but for white space and the fields in which relays write. */
    public const SAME = 'same';
    /** The parts that the bundle opens are in it, and nothing is said of the rest. */
    public const PARTS = 'parts';
    public const DIFFERS = 'differs';
    /** The bundle is invalid, or its content was erased. */
    public const NOT_COMPARABLE = 'not_comparable';

    /**
     * @internal
     * @param string $verdict same, parts, differs or not_comparable
     * @param bool $bytes the sealed message, behind fields of relays
     * @param bool $relaxed header and body but for white space
     * @param bool|null $parts every part that the bundle opens; null if a charset is not read here
     */
    public function __construct(
        public string $verdict,
        public bool $bytes,
        public bool $relaxed,
        public ?bool $parts,
    ) {
    }

    /** @return array<string, mixed> names as in all languages */
    public function jsonSerialize(): array
    {
        return get_object_vars($this);
    }
}
