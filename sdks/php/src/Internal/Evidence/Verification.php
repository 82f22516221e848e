<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

use Acuse\Check;
use Acuse\Copy;
use Acuse\Remark;
use Acuse\Report;

/** One run: the checks of docs/evidence-format.md, section 9, in their order, up to the first that fails. @internal */
final class Verification
{
    private const KIND =
        '/\.tsr\z|-(?:sent|bounced|cancelled|complained|acknowledged|refused|displayed|unanswered)/';
    private const ELSEWHERE = 'acuse verify checks it';

    /** @var list<Check> */
    private array $checks = [];
    /** @var array<string, string> */
    private array $files = [];
    private Content $content;
    private Revocation $revocation;
    /** @var array<string, mixed> */
    private array $openings;
    private PolicyDocument $policy;
    private int $accepted = 0;
    /** @var list<int> */
    private array $cosigned = [];
    /** @var list<Link> the first first */
    private array $renewals = [];
    private ?Line $line = null;
    /** @var list<Remark> */
    private array $warnings = [];
    private ?\DateTimeImmutable $sealedAt = null;
    private bool $development = false;
    private bool $secondLeftOut = false;

    public function __construct(
        private readonly ?PolicyDocument $pinned,
        private readonly ?\DateTimeInterface $at,
        private readonly int $now,
    ) {
    }

    public function run(string $bundle, ?string $received): Report
    {
        try {
            $this->files = $this->check('bundle', static fn (): array => Container::read($bundle));
            $this->content = new Content($this->files);
            $this->revocation = new Revocation($this->files);
            $this->checkAll();
            $copy = $received === null ? null : $this->compare($received);
        } catch (Refused $problem) {
            $this->checks[] = new Check($problem->check, false, $problem->getMessage());
            $copy = $received === null ? null : new Copy(Copy::NOT_COMPARABLE, false, false, false);
        }
        [$verdict, $reasons] = $this->judge();
        return new Report(
            array_unique(array_column($this->checks, 'ok')) === [true],
            $verdict,
            $reasons,
            $this->warnings,
            $this->pinned === null ? 'bundle' : 'pinned',
            $this->sealedAt?->format('Y-m-d\TH:i:s.v\Z'),
            $this->development,
            $this->checks,
            $copy,
        );
    }

    /**
     * The verdict, and why. The worst wins.
     * @return array{string, list<Remark>}
     */
    private function judge(): array
    {
        $failed = array_values(array_filter($this->checks, static fn (Check $each): bool => $each->ok === false));
        if ($failed !== []) {
            $told = static fn (Check $each): Remark => new Remark($each->name, $each->detail);
            return [Report::REJECTED, array_map($told, $failed)];
        }
        [$line, $content] = [$this->line, $this->openings['content']];
        $isOpen = in_array(null, array_column($this->checks, 'ok'), true);
        $isShown = count($line->sizes()) === 1 || isset($this->files['history.txt']);
        $opened = preg_grep('~^delivery/.*\.openings\.json$~D', array_keys($this->files));
        $isClosed = count($opened ?: []) < count($line->outcomes);
        $isPart = $content === 'disclosed' || ($content === 'complete' && $isClosed);
        $unproven = self::remarks([
            'bundle_keys' => [$this->pinned === null, 'the keys are those that the file itself names'],
            'development' => [$this->development, 'a time-stamp in it is by a development authority'],
        ]);
        $incomplete = self::remarks([
            'not_checked' => [$isOpen, 'something in it is not checked here'],
            'outcomes_not_counted' => [$line->counted === null, 'it does not say how many outcomes there were'],
            'outcomes_withheld' => [$line->withheld !== [], 'it leaves out outcomes that were counted'],
            'history_not_shown' => [!$isShown, 'it does not show that its trees are one log'],
            'content_disclosed' => [$isPart, 'it shows a part of the content'],
            'content_erased' => [$content === 'erased', 'the message\'s content was erased'],
        ]);
        $verdict = match (true) {
            $unproven !== [] => Report::UNPROVEN,
            $incomplete !== [] => Report::INCOMPLETE,
            default => Report::VERIFIED,
        };
        return [$verdict, [...$unproven, ...$incomplete]];
    }

    /**
     * @param array<string, array{bool, string}> $stated
     * @return list<Remark> those that apply
     */
    private static function remarks(array $stated): array
    {
        $found = [];
        foreach ($stated as $name => [$applies, $detail]) {
            if ($applies) {
                $found[] = new Remark($name, $detail);
            }
        }
        return $found;
    }

    /** Null, and a check that is not made, where its verdict hangs on a charset that is not read here. */
    private function compare(string $received): ?Copy
    {
        try {
            return Received::compare($received, $this->openings, $this->files['message.eml'] ?? null);
        } catch (NotChecked $problem) {
            $this->leaveOut('received_copy', "{$problem->getMessage()}: " . self::ELSEWHERE);
            return null;
        }
    }

    private function checkAll(): void
    {
        $this->check('sums', $this->checkSums(...));
        $this->check('entries', $this->checkEntries(...));
        $this->policy = $this->check('trust', $this->trusted(...));
        $manifest = $this->check('manifest', fn (): array => Documents::manifest($this->files['manifest.json']));
        $this->accepted = Times::ofText($manifest['accepted_at']);
        $entry = hash('sha256', $this->files['manifest.json'], true);
        $this->checkContent($manifest, bin2hex($entry));
        [$text, $leaf] = $this->checkLeaf('proof', $manifest['log'], $entry, '', 'constancia.tsr');
        $this->check('stamped_checkpoint', fn () => Form::need(
            $this->files['checkpoint.txt'] === $text,
            'stamped_checkpoint',
            'checkpoint.txt is another checkpoint',
        ));
        $sealed = $this->checkConstancia();
        $line = new Line($manifest['log'], $this->now, $this->accepted, $leaf, Times::of($sealed));
        $line->renewals = array_map(Times::of(...), array_column($this->renewals, 'time'));
        $line->withheld = $this->openings['withheld'] ?? [];
        if (isset($this->files['message-constancia.tsr'])) {
            $name = new StampName('message-constancia.tsr', 'chain/message-constancia.pem', 'message_timestamp');
            $line->ownStamp = Times::of($this->stamp($name, $this->files['manifest.json']));
        }
        $line->outcomes = $this->checkDeliveries($manifest, bin2hex($entry));
        $line->cosigned = $this->cosigned;
        $this->checkLine($line);
        if (!$this->revocation->isEmpty()) {
            $this->check('revocation', $this->revocation->checkNothingIdle(...));
        }
        $this->sealedAt = $sealed;
    }

    /** That all of it is one story. */
    private function checkLine(Line $line): void
    {
        [$note, $end] = [$this->files['outcomes.note'] ?? null, $this->files['log-end.note'] ?? null];
        $own = static fn (PinnedKey $each): bool => $each->key->name === $line->log;
        $keys = array_values(array_filter($this->policy->logKeys, $own));
        if ($note !== null || $end !== null || $line->withheld !== []) {
            $this->check('outcomes', fn () => $line->checkOutcomes($note, $end, $keys, $this->checkSecond(...)));
        }
        $this->check('history', fn () => $line->checkHistory($this->files['history.txt'] ?? null));
        $this->check('order', $line->checkOrder(...));
        $this->check('times', $line->checkTimes(...));
        $this->line = $line;
        $this->warnings = $line->warnings();
        if ($this->revocation->wasRevokedLater()) {
            $detail = 'a certificate was revoked later, after a renewal by others';
            $this->warnings[] = new Remark('revoked_later', $detail);
        }
        if ($this->secondLeftOut) {
            $this->warnings[] = new Remark('mldsa44_not_checked', 'ML-DSA-44 signature not checked here');
        }
        $ends = LogEnd::all($end, $keys);
        if ($ends !== []) {
            $this->check('log_end', static function () use ($ends, $line): void {
                foreach ($ends as $each) {
                    array_map($each->checkWithin(...), array_column($line->leaves(), 'tree'));
                    $line->checkEnd($each);
                }
            });
        }
    }

    /**
     * A check, and what it gives.
     * @throws Refused
     */
    private function check(string $name, \Closure $step): mixed
    {
        try {
            $value = $step();
        } catch (NoteProblem $problem) {
            throw new Refused($name, $problem->getMessage());
        } catch (NotChecked $problem) {
            $this->leaveOut($name, "{$problem->getMessage()}: " . self::ELSEWHERE);
            return null;
        }
        $this->checks[] = new Check($name, true, 'holds');
        return $value;
    }

    /** A check that is not made. */
    private function leaveOut(string $name, string $detail): void
    {
        $this->checks[] = new Check($name, null, "not checked: $detail");
    }

    /** SHA256SUMS is exactly that of the entries, in the order of the table. */
    private function checkSums(): void
    {
        $names = array_diff(array_keys($this->files), ['SHA256SUMS']);
        usort($names, static fn (string $a, string $b): int =>
            Container::rank($a) <=> Container::rank($b) ?: strcmp($a, $b));
        $lines = '';
        foreach ($names as $name) {
            $lines .= hash('sha256', $this->files[$name]) . "  $name\n";
        }
        Form::need($this->files['SHA256SUMS'] === $lines, 'sums', 'SHA256SUMS is not that of the entries');
    }

    /** Each chain, document, sum and list belongs to a time-stamp. */
    private function checkEntries(): void
    {
        $stamped = [];
        foreach (array_keys($this->files) as $name) {
            if (str_ends_with($name, '.tsr')) {
                $plain = preg_replace(self::KIND, '', $name);
                $stamp = strtr($plain, '/', '-');
                $stamped["chain/$stamp.pem"] = $stamped["issued/$stamp.bin"] = true;
            }
        }
        foreach (array_keys($this->files) as $name) {
            $belongs = match (true) {
                preg_match('#\A(?:chain|issued)/#', $name) === 1 => isset($stamped[$name]),
                preg_match('/\A(.*)\.(?:sums|list)\z/', $name, $found) === 1 => isset($this->files["$found[1].tsr"]),
                default => true,
            };
            Form::need($belongs, 'entries', "$name belongs to no time-stamp");
        }
    }

    /** Yours, or the bundle's own, which must be well-formed in either case. */
    private function trusted(): PolicyDocument
    {
        $own = PolicyDocument::read(StrictJson::readCanonical($this->files['policy.json'], 'trust'), own: true);
        return $this->pinned ?? $own;
    }

    /** Section 4. */
    private function checkContent(array $manifest, string $canonicalHash): void
    {
        $content = $this->content;
        $openings = $this->check('openings', static fn (): array => $content->openings($manifest, $canonicalHash));
        $this->openings = $openings;
        $mail = $openings['mail'];
        if (isset($openings['submission'])) {
            $opening = $openings['submission'];
            $this->check('submission', static fn () => $content->checkWhole('submission.bin', $opening, 'submission'));
        }
        if (isset($mail['raw'])) {
            $this->check('message', static fn () => $content->checkWhole('message.eml', $mail['raw'], 'message'));
            $this->check('message_relaxed', static fn () => $content->checkRelaxed($mail));
            $this->check('message_parts', static fn () => $content->checkFound($mail['parts']));
        } elseif ($mail['parts'] !== []) {
            $this->check('message_parts', static fn () => $content->checkShown($mail['parts']));
        }
    }

    /**
     * That the log has the entry: the text of the checkpoint that holds it, and where. Its keys must have been
     * trusted when `token` stamps it, or now while there is none.
     * @return array{string, Leaf}
     */
    private function checkLeaf(string $base, string $origin, string $entry, string $prefix, string $token): array
    {
        $bytes = $this->files["$base.tlog-proof"] ?? '';
        // Null for one that cannot be read, which a check of its own refuses.
        $at = isset($this->files[$token]) ? TimeStamp::statedTime($this->files[$token]) : $this->now;
        [$proof, $head] = $this->check("{$prefix}checkpoint", function () use ($bytes, $origin, $prefix, $at): array {
            $proof = LogProof::parse($bytes);
            $head = TreeHead::parse($proof->note->text);
            Form::need($head->origin === $origin, "{$prefix}checkpoint", 'a checkpoint of another log');
            $keys = PinnedKey::trustedAt($this->policy->logKeys, $at);
            $signers = $proof->note->signers($keys, VerifierKey::LOG);
            $signed = in_array($origin, array_column($signers, 'name'), true);
            Form::need($signed, "{$prefix}checkpoint", 'not signed by a trusted key of its log');
            $this->checkSecond($proof->note, $origin, $at);
            return [$proof, $head];
        });
        $this->check("{$prefix}inclusion", static fn () => Form::need(
            Merkle::isIncluded(Merkle::leafHash($entry), $proof->index, $head->size, $proof->path, $head->root),
            "{$prefix}inclusion",
            'the path does not lead to the root',
        ));
        $this->check("{$prefix}witness", fn () => $this->checkWitnesses($proof->note, $at, "{$prefix}witness"));
        return [$proof->note->text, new Leaf($entry, $proof->index, $head)];
    }

    /**
     * Each second key of this name that was trusted then signed too; the times that they state. $log: of which
     * another one signed, as the log that goes on. Its end has no second signature: it must not spare the count one.
     * @return list<int>
     */
    private function checkSecond(Note $note, string $name, ?int $at, ?string $log = null): array
    {
        $keys = $this->policy->secondKeysAt($name, $at);
        if ($log !== null && $log !== $name && $this->policy->secondKeysAt($log, $at) !== []) {
            $keys = $this->policy->secondKeysOf($name);
            Form::need($keys !== [], 'outcomes', 'it is counted by a log without a second key');
        }
        $times = array_map($note->secondSigned(...), $keys);
        $this->secondLeftOut = $this->secondLeftOut || $times !== [];
        return $times;
    }

    /**
     * Every cosignature of a trusted witness verifies, and enough operators cosigned when they can have seen
     * the message.
     */
    private function checkWitnesses(Note $note, ?int $at, string $check): void
    {
        [$first, $last] = [$this->accepted - Times::TOLERANCE, $this->now + Times::DAY];
        $operators = [];
        foreach ($note->cosigners(PinnedKey::trustedAt($this->policy->witnessKeys, $at)) as [$key, $seconds]) {
            $time = 1_000 * $seconds;
            if ($time > 0 && $first <= $time && $time <= $last) {
                $this->cosigned[] = $time;
                $operators[] = $key->operator();
            }
        }
        $operators = array_unique($operators);
        $enough = count($operators) >= $this->policy->quorum;
        Form::need($enough, $check, count($operators) . " witnesses cosigned, {$this->policy->quorum} are required");
    }

    /** From the last renewal to the first, then the constancia: each held when the next was made. */
    private function checkConstancia(): \DateTimeImmutable
    {
        $renewals = new Renewals($this->files);
        $count = $renewals->count();
        $few = $count <= Renewals::MAX;
        $this->check('renewal', static fn () => Form::need($few, 'renewal', 'too many renewals'));
        $after = $this->at;
        for ($number = $count; $number > 0; $number--) {
            $check = sprintf('renewal.%02d', $number);
            $token = sprintf('renewal/%02d.tsr', $number);
            Form::need(isset($this->files[$token]), 'renewal', 'the renewals have a gap');
            $text = $this->check("$check.covers", static fn (): string => $renewals->stamped($number, "$check.covers"));
            $name = new StampName($token, sprintf('chain/renewal-%02d.pem', $number), $check, 'sha512');
            $link = $this->stampAndChain($name, $text, $after, $this->renewals);
            array_unshift($this->renewals, $link);
            $after = $link->time;
        }
        $name = new StampName('constancia.tsr', 'chain/constancia.pem', 'timestamp');
        return $this->stampAndChain($name, $this->files['checkpoint.txt'], $after, $this->renewals)->time;
    }

    /** The time of one that no renewal covers. */
    private function stamp(StampName $name, string $data): \DateTimeImmutable
    {
        return $this->stampAndChain($name, $data, null, [])->time;
    }

    /** @param list<Link> $renewals those after it that hold */
    private function stampAndChain(
        StampName $name,
        string $data,
        ?\DateTimeInterface $alsoAt,
        array $renewals,
    ): Link {
        [$time, $authority, $chain] = $this->check($name->check, fn (): array => TimeStamp::verify(
            $this->files,
            $name,
            $this->policy->authorities,
            $data,
            $alsoAt,
        ));
        $this->development = $this->development || ($authority['development'] ?? false);
        $link = new Link($time, $chain);
        $required = isset($authority['revocation']);
        if (!$this->revocation->isEmpty() || $required) {
            $check = "{$name->check}_revocation";
            $this->check($check, fn () => $this->revocation->check($link, $required, $check, $renewals));
        }
        return $link;
    }

    /**
     * Section 5: each outcome is chained to the one before.
     * @return list<Outcome>
     */
    private function checkDeliveries(array $manifest, string $canonicalHash): array
    {
        $bases = array_map(
            static fn (string $name): string => explode('.', $name, 2)[0],
            array_values(preg_grep('~\Adelivery/~', array_keys($this->files))),
        );
        $bases = array_values(array_unique($bases));
        sort($bases, SORT_STRING);
        $previous = $canonicalHash;
        $found = [];
        foreach ($bases as $at => $base) {
            $number = sprintf('%02d', $at + 1);
            $check = "delivery.$number";
            Form::need(str_starts_with($base, "delivery/$number-"), 'delivery', 'the outcomes have a gap');
            $outcome = $this->check($check, fn (): array => $this->content->outcome(
                $base,
                $at + 1,
                $manifest,
                $canonicalHash,
                $previous,
            ));
            if ($this->content->isReply($base, $outcome)) {
                $recipient = $this->openings['envelope']['rcpt_to']['value'] ?? null;
                $reply = fn () => $this->content->checkReply($base, $outcome, $recipient, "$check.reply");
                $this->check("$check.reply", $reply);
            }
            $entry = hash('sha256', $this->files["$base.json"], true);
            [$text, $leaf] = $this->checkLeaf($base, $outcome['log'], $entry, "$check.", "$base.tsr");
            $stamped = null;
            if (isset($this->files["$base.tsr"])) {
                $name = new StampName("$base.tsr", "chain/delivery-$number.pem", "$check.timestamp");
                $stamped = Times::of($this->stamp($name, $text));
            }
            $found[] = new Outcome($leaf, Times::ofText($outcome['occurred_at']), $stamped);
            $previous = bin2hex($entry);
        }
        return $found;
    }
}
