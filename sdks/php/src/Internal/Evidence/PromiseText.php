<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A promise of the log, read: docs/evidence-format.md, section 6. @internal */
final readonly class PromiseText
{
    private const FORM = '/\Aacuse\/promise\/v1\n([^\n]+)\n([^\n]+)\n([1-9][0-9]{0,11})\n\z/';

    private function __construct(
        public string $origin,
        public string $canonicalHash,
        public int $deadline,
    ) {
    }

    /** @throws NoteProblem */
    public static function parse(string $text): self
    {
        if (preg_match(self::FORM, $text, $found) !== 1 || !Note::isName($found[1])) {
            throw new NoteProblem('not a promise');
        }
        $canonicalHash = Note::unbase64($found[2]);
        if (strlen($canonicalHash) !== Merkle::HASH_BYTES) {
            throw new NoteProblem('not a promise');
        }
        return new self($found[1], $canonicalHash, (int) $found[3]);
    }
}
