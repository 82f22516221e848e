<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** That an entry is in a log (C2SP tlog-proof). @internal */
final readonly class LogProof
{
    private const MAX_BYTES = 320 * 1_024;
    private const MAX_LINES = 66;

    /** @param list<string> $path */
    private function __construct(
        public int $index,
        public array $path,
        public Note $note,
    ) {
    }

    /** @throws NoteProblem */
    public static function parse(string $bytes): self
    {
        if (strlen($bytes) > self::MAX_BYTES) {
            throw new NoteProblem('too long');
        }
        [$head, $note] = explode("\n\n", $bytes, 2) + [1 => ''];
        $lines = explode("\n", $head);
        $form = $lines[0] === 'c2sp.org/tlog-proof@v1' && count($lines) <= self::MAX_LINES;
        if (!$form || preg_match('/\Aindex (0|[1-9][0-9]{0,15})\z/', $lines[1] ?? '', $found) !== 1) {
            throw new NoteProblem('not a proof');
        }
        $path = array_map(Note::unbase64(...), array_slice($lines, 2));
        foreach ($path as $each) {
            if (strlen($each) !== Merkle::HASH_BYTES) {
                throw new NoteProblem('not a path');
            }
        }
        return new self((int) $found[1], $path, Note::parse($note));
    }
}
