<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

use Acuse\Remark;

/** True if a bundle is one story: docs/evidence-format.md, section 9, from `outcomes` on. @internal */
final class Line
{
    private const MAX_OUTCOMES = 32;
    private const OLD = 30 * Times::DAY;

    /** The message's own constancia. */
    public ?int $ownStamp = null;
    /** @var list<int> */
    public array $renewals = [];
    /** @var list<Outcome> */
    public array $outcomes = [];
    /** @var list<string> canonical hashes, hex */
    public array $withheld = [];
    /** @var list<int> when witnesses say that they cosigned, of those that counted */
    public array $cosigned = [];
    /** When the outcomes were counted, if that is said and holds. */
    public ?int $counted = null;

    /** Times in milliseconds. */
    public function __construct(
        public readonly string $log,
        private readonly int $now,
        private readonly int $accepted,
        private readonly Leaf $message,
        private readonly int $sealed,
    ) {
    }

    /** @return list<Leaf> of the message and then of its outcomes */
    public function leaves(): array
    {
        return [$this->message, ...array_column($this->outcomes, 'leaf')];
    }

    /** @return list<int> of the trees, ascending */
    public function sizes(): array
    {
        $sizes = array_map(static fn (Leaf $each): int => $each->tree->size, $this->leaves());
        sort($sizes);
        return array_values(array_unique($sizes));
    }

    /**
     * As many, and those, as the log counted.
     * @param list<PinnedKey> $keys of the manifest's log
     * @param \Closure(Note, string, int, string): list<int> $second the times at which second keys signed
     * @throws Refused
     * @throws NoteProblem
     */
    public function checkOutcomes(?string $bytes, ?string $end, array $keys, \Closure $second): void
    {
        $check = 'outcomes';
        Form::need($bytes !== null, $check, 'outcomes.note is missing, and something here rests on it');
        if ($end !== null) {
            $keys[] = new PinnedKey(LogEnd::successor($end, $keys));
        }
        $note = Note::parse($bytes);
        $head = TreeHead::parse($note->text);
        $entries = [...array_column($this->leaves(), 'entry'), ...array_map(hex2bin(...), $this->withheld)];
        $origin = "$this->log/m/" . bin2hex($entries[0]);
        Form::need($head->origin === $origin, $check, 'it is of another message');
        Form::need(substr_count($note->text, "\n") === 3, $check, 'it has more than three lines');
        [$counted, $name] = self::countedAt($note, $keys);
        foreach ($second($note, $name, $counted, $this->log) as $seconds) {
            Form::need(1_000 * $seconds === $counted, $check, 'its signatures are of two times');
        }
        $count = count($entries) - 1;
        Form::need($count <= self::MAX_OUTCOMES, $check, 'too many outcomes');
        $says = 'on ' . Times::told($counted) . ' the log counted ' . ($head->size - 1);
        Form::need($head->size === $count + 1, $check, "$says, and $count are here");
        $same = $head->root === Merkle::rootOf(array_map(Merkle::leafHash(...), $entries));
        Form::need($same, $check, "$says, and those here are others");
        $this->counted = $counted;
    }

    /**
     * By the first of the keys that signed it, as a witness does, and was trusted then: when, and its name. A key
     * may stand twice, for two times; all that one of them signed must verify.
     * @param list<PinnedKey> $keys
     * @return array{int, string}
     */
    private static function countedAt(Note $note, array $keys): array
    {
        $signed = false;
        $trusted = null;
        foreach ($keys as $pinned) {
            foreach ($note->cosigners([$pinned->key->asWitness()]) as [, $seconds]) {
                $signed = true;
                $time = 1_000 * $seconds;
                if ($time <= Times::LAST && $pinned->window->holds($time)) {
                    $trusted ??= [$time, $pinned->key->name];
                }
            }
        }
        $why = $signed ? 'it was signed when its key was not trusted' : 'it is not signed by a trusted key of the log';
        return $trusted ?? throw new Refused('outcomes', $why);
    }

    /** The trees are one log, if that is shown. @throws Refused @throws NoteProblem */
    public function checkHistory(?string $bytes): void
    {
        $check = 'history';
        $trees = [];
        foreach ($this->leaves() as $leaf) {
            $size = $leaf->tree->size;
            $trees[$size] ??= $leaf->tree->root;
            Form::need($trees[$size] === $leaf->tree->root, $check, "the log signed two trees of $size leaves");
        }
        if ($bytes === null) {
            return;
        }
        $sizes = $this->sizes();
        Form::need(count($sizes) > 1, $check, 'history.txt is there, and every proof is of one tree');
        $blocks = explode("\n\n", $bytes);
        $whole = array_pop($blocks) === '' && count($blocks) === count($sizes) - 1;
        Form::need($whole, $check, 'history.txt is not a proof for each');
        foreach ($blocks as $at => $block) {
            [$old, $new] = [$sizes[$at], $sizes[$at + 1]];
            $lines = explode("\n", $block);
            $head = array_shift($lines);
            Form::need($head === "consistency $old $new", $check, "no proof from $old leaves to $new");
            $path = array_map(Note::unbase64(...), $lines);
            $grown = Merkle::isConsistent($old, $trees[$old], $new, $trees[$new], $path);
            Form::need($grown, $check, "the tree of $old leaves is not shown to be the beginning of that of $new");
        }
    }

    /** The next entry comes later in the log. @throws Refused */
    public function checkOrder(): void
    {
        $before = -1;
        foreach ($this->leaves() as $leaf) {
            Form::need($before < $leaf->index, 'order', "leaf $leaf->index follows leaf $before by what it says");
            $before = $leaf->index;
        }
    }

    /** No time contradicts another. @throws Refused */
    public function checkTimes(): void
    {
        $accepted = new Stated('accepted', $this->accepted);
        $stamps = $this->stamps();
        $counted = $this->countedStated();
        foreach ($stamps as $stamp) {
            $accepted->needNotAfter($stamp);
        }
        foreach ($this->outcomes as $at => $outcome) {
            $occurred = self::occurred($at, $outcome);
            $accepted->needNotAfter($occurred);
            $over = array_filter($stamps, static fn (Stated $each): bool => $each->size > $outcome->leaf->index);
            foreach ([...$over, ...$counted] as $stamp) {
                $occurred->needNotAfter($stamp);
            }
        }
        foreach ($counted as $count) {
            $stamps[0]->needNotAfter($count);
        }
        $link = $stamps[0];
        foreach ($this->renewed() as $renewal) {
            $link->needNotAfter($renewal);
            $link = $renewal;
        }
        foreach ($this->stated() as $each) {
            $past = $each->time <= $this->now + Times::DAY;
            Form::need($past, 'times', "{$each->told()}, and it is " . Times::told($this->now) . ' here');
        }
    }

    /**
     * Oddities that break nothing, once all of it holds.
     * @return list<Remark>
     */
    public function warnings(): array
    {
        $found = [];
        $witnessed = array_map(static fn (int $time): Stated => new Stated('cosigned', $time), $this->cosigned);
        foreach ([...$this->stated(), ...$witnessed] as $each) {
            if ($each->time > $this->now + Times::TOLERANCE) {
                $here = Times::told($this->now);
                $detail = "{$each->told()}, and it is $here here: your clock or theirs is wrong";
                $found[] = new Remark('clock', $detail);
                break;
            }
        }
        if ($this->sealed > $this->accepted + Times::DAY) {
            $detail = 'that it was accepted more than a day before it was sealed is the operator\'s word';
            $found[] = new Remark('sealed_late', $detail);
        }
        if ($this->isDisordered()) {
            $found[] = new Remark('occurred_order', 'an outcome is after another that was recorded later');
        }
        if (in_array(null, array_column($this->outcomes, 'stamped'), true)) {
            $detail = 'an outcome has no time-stamp here: when it was recorded is the operator\'s word';
            $found[] = new Remark('outcome_unstamped', $detail);
        }
        if ($this->counted !== null && $this->counted < $this->now - self::OLD) {
            $when = Times::told($this->counted);
            $detail = "outcomes counted at $when: later outcomes are not in this file";
            $found[] = new Remark('outcomes_old', $detail);
        }
        return $found;
    }

    private function isDisordered(): bool
    {
        $latest = PHP_INT_MIN;
        foreach ($this->outcomes as $outcome) {
            if ($latest > $outcome->occurred + Times::TOLERANCE) {
                return true;
            }
            $latest = max($latest, $outcome->occurred);
        }
        return false;
    }

    /** @throws Refused */
    public function checkEnd(LogEnd $end): void
    {
        $end->checkAfter([$this->accepted, ...array_column($this->outcomes, 'occurred')], $this->now);
    }

    private static function occurred(int $at, Outcome $outcome): Stated
    {
        return new Stated('outcome ' . ($at + 1), $outcome->occurred);
    }

    /** @return list<Stated> the constancia first */
    private function stamps(): array
    {
        $found = [new Stated('sealed', $this->sealed, $this->message->tree->size)];
        if ($this->ownStamp !== null) {
            $found[] = new Stated('the message\'s own time-stamp', $this->ownStamp);
        }
        foreach ($this->outcomes as $at => $each) {
            if ($each->stamped !== null) {
                $found[] = new Stated('outcome ' . ($at + 1) . ' sealed', $each->stamped, $each->leaf->tree->size);
            }
        }
        return $found;
    }

    /** @return list<Stated> */
    private function renewed(): array
    {
        return array_map(
            static fn (int $at, int $time): Stated => new Stated(sprintf('renewal %02d', $at + 1), $time),
            array_keys($this->renewals),
            $this->renewals,
        );
    }

    /** @return list<Stated> */
    private function countedStated(): array
    {
        return $this->counted === null ? [] : [new Stated('outcomes counted', $this->counted)];
    }

    /** @return list<Stated> all times that the bundle states, but those of witnesses */
    private function stated(): array
    {
        $occurred = array_map(self::occurred(...), array_keys($this->outcomes), $this->outcomes);
        $accepted = new Stated('accepted', $this->accepted);
        return [$accepted, ...$occurred, ...$this->stamps(), ...$this->renewed(), ...$this->countedStated()];
    }
}
