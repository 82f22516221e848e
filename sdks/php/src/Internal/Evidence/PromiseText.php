<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A promise of the log, read: docs/evidence-format.md, section 6. @internal */
final readonly class PromiseText
{
    private const FORM = '/\Aacuse\/promise\/v1\n([^\n]+)\n([^\n]+)\n([1-9][0-9]{0,11})\n\z/';
    /** The first line of the promise of a group, and its leaves. */
    private const GROUP_HEADER = "acuse/promise/v2\n";
    private const GROUP_PROOF =
        '/\Aacuse\/promise\/v2\nentry ([^\n]+)\nindex (0|[1-9][0-9]{0,4})((?:\n[^\n]+){1,16})\z/';
    private const GROUP_TEXT =
        '/\Aacuse\/promise-group\/v1\n([^\n]+)\n([1-9][0-9]{0,4})\n([^\n]+)\n([1-9][0-9]{0,11})\n\z/';
    private const MAX_GROUP = 65_536;

    private function __construct(
        public string $canonicalHash,
        public int $deadline,
    ) {
    }

    /**
     * Reads the promise of one entry, or of a group.
     * @throws NoteProblem also unless the key has signed it for its own log
     */
    public static function open(string $text, VerifierKey $key): self
    {
        if (str_starts_with($text, self::GROUP_HEADER)) {
            return self::openGroup($text, $key);
        }
        $note = Note::parse($text);
        if (preg_match(self::FORM, $note->text, $found) !== 1) {
            throw new NoteProblem('not a promise');
        }
        self::assertOfLog($note, $found[1], $key);
        return new self(self::hash($found[2]), (int) $found[3]);
    }

    private static function openGroup(string $text, VerifierKey $key): self
    {
        [$head, $rest] = explode("\n\n", $text, 2) + [1 => ''];
        if (preg_match(self::GROUP_PROOF, $head, $proof) !== 1) {
            throw new NoteProblem('not a promise');
        }
        $note = Note::parse($rest);
        $formed = preg_match(self::GROUP_TEXT, $note->text, $group) === 1;
        if (!$formed || (int) $group[2] < 2 || (int) $group[2] > self::MAX_GROUP) {
            throw new NoteProblem('not a promise');
        }
        self::assertOfLog($note, $group[1], $key);
        $canonicalHash = self::hash($proof[1]);
        $leaf = Merkle::leafHash(self::GROUP_HEADER . $canonicalHash);
        $path = array_map(self::hash(...), explode("\n", substr($proof[3], 1)));
        if (!Merkle::isIncluded($leaf, (int) $proof[2], (int) $group[2], $path, self::hash($group[3]))) {
            throw new NoteProblem('not in the group that was signed');
        }
        return new self($canonicalHash, (int) $group[4]);
    }

    private static function assertOfLog(Note $note, string $origin, VerifierKey $key): void
    {
        if ($origin !== $key->name || $note->signers([$key], VerifierKey::LOG) === []) {
            throw new NoteProblem('not signed by the pinned key');
        }
    }

    private static function hash(string $line): string
    {
        $hash = Note::unbase64($line);
        return strlen($hash) === Merkle::HASH_BYTES ? $hash : throw new NoteProblem('not a hash');
    }
}
