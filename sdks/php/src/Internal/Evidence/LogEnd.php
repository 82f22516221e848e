<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The end of a log that cannot go on: docs/evidence-format.md, section 6. @internal */
final readonly class LogEnd
{
    private const HEADER = 'acuse/log-end/v1';
    private const LINES = 7;
    private const MAX_REASON = 1_000;
    private const MAX_SIZE = 2 ** 53;

    /** @param list<array{int, string}> $trees size and root: what it still shows, and the most it had published */
    private function __construct(
        private array $trees,
        public int $ended,
        public VerifierKey $successor,
    ) {
    }

    /** @throws NoteProblem */
    public static function open(string $bytes, VerifierKey $log): self
    {
        $note = Note::parse($bytes);
        $lines = explode("\n", substr($note->text, 0, -1));
        if (count($lines) !== self::LINES || $lines[0] !== self::HEADER || $lines[1] !== $log->name) {
            throw new NoteProblem('not the end of this log');
        }
        [, $origin, $kept, $published, $time, $key, $reason] = $lines;
        if ($reason === '' || mb_strlen($reason, 'UTF-8') > self::MAX_REASON) {
            throw new NoteProblem('no reason, or too long');
        }
        $successor = VerifierKey::parse($key);
        foreach ([$log, $successor] as $signer) {
            if ($note->signers([$signer], VerifierKey::LOG) === []) {
                throw new NoteProblem("not signed by $signer->name");
            }
        }
        if ($successor->name === $origin) {
            throw new NoteProblem('a log does not follow itself');
        }
        try {
            $ended = Times::ofText(Form::time($time, 'log_end'));
        } catch (Refused $problem) {
            throw new NoteProblem($problem->getMessage());
        }
        return new self([self::tree($kept), self::tree($published)], $ended, $successor);
    }

    /**
     * The statement as each of the keys signed it; none says nothing of this bundle.
     * @param list<PinnedKey> $keys
     * @return list<self>
     */
    public static function all(?string $bytes, array $keys): array
    {
        $found = [];
        foreach ($bytes === null ? [] : $keys as $pinned) {
            try {
                $found[] = self::open($bytes, $pinned->key);
            } catch (NoteProblem) {
                continue;
            }
        }
        return $found;
    }

    /**
     * The key of the log that goes on, named by a key that was trusted when the log ended.
     * @param list<PinnedKey> $keys
     * @throws Refused
     */
    public static function successor(string $bytes, array $keys): VerifierKey
    {
        foreach ($keys as $pinned) {
            foreach (self::all($bytes, [$pinned]) as $end) {
                if ($pinned->window->holds($end->ended)) {
                    return $end->successor;
                }
            }
        }
        throw new Refused('outcomes', 'log-end.note is not the end of this log, signed by a trusted key');
    }

    /** The tree was published before. @throws Refused */
    public function checkWithin(TreeHead $tree): void
    {
        $check = 'log_end';
        $most = max(array_column($this->trees, 0));
        Form::need($tree->size <= $most, $check, "a tree of $tree->size leaves, and $most were published");
        $same = array_filter($this->trees, static fn (array $each): bool => $each[0] === $tree->size);
        $known = $same === [] || in_array($tree->root, array_column($same, 1), true);
        Form::need($known, $check, "another tree of $tree->size leaves than the log had");
    }

    /**
     * What a log holds came to it before it ended.
     * @param list<int> $times of the acceptance and of outcomes
     * @throws Refused
     */
    public function checkAfter(array $times, int $now): void
    {
        $check = 'log_end';
        $ended = Times::told($this->ended);
        foreach ($times as $time) {
            $isBefore = $time <= $this->ended + Times::TOLERANCE;
            Form::need($isBefore, $check, 'at ' . Times::told($time) . ", yet the log ended at $ended");
        }
        $here = Times::told($now);
        Form::need($this->ended <= $now + Times::DAY, $check, "ended at $ended, and it is $here here");
    }

    /** @return array{int, string} */
    private static function tree(string $line): array
    {
        if (preg_match('/\A(0|[1-9][0-9]{0,15}) (\S+)\z/', $line, $found) !== 1 || (int) $found[1] >= self::MAX_SIZE) {
            throw new NoteProblem('not the size of a tree');
        }
        $root = Note::unbase64($found[2]);
        if (strlen($root) !== Merkle::HASH_BYTES) {
            throw new NoteProblem('not a root');
        }
        return [(int) $found[1], $root];
    }
}
