<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The content of a checkpoint (C2SP tlog-checkpoint). @internal */
final readonly class TreeHead
{
    private const MAX_SIZE = 2 ** 53;

    private function __construct(
        public string $origin,
        public int $size,
        public string $root,
    ) {
    }

    /** Lines after the third are extensions and mean nothing. @throws NoteProblem */
    public static function parse(string $text): self
    {
        $lines = explode("\n", substr($text, 0, -1));
        $whole = str_ends_with($text, "\n") && count($lines) >= 3 && !in_array('', $lines, true);
        if (!$whole || !Note::isName($lines[0])) {
            throw new NoteProblem('not a checkpoint');
        }
        if (preg_match('/\A(?:0|[1-9][0-9]{0,15})\z/', $lines[1]) !== 1 || (int) $lines[1] >= self::MAX_SIZE) {
            throw new NoteProblem('not the size of a tree');
        }
        $root = Note::unbase64($lines[2]);
        if (strlen($root) !== Merkle::HASH_BYTES || ($lines[1] === '0' && $root !== Merkle::emptyRoot())) {
            throw new NoteProblem('not a root');
        }
        return new self($lines[0], (int) $lines[1], $root);
    }
}
