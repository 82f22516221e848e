<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

use Acuse\Check;
use Acuse\Copy;
use Acuse\Report;

/** One run: the checks of docs/evidence-format.md, section 9, in their order, up to the first that fails. @internal */
final class Verification
{
    private const ELSEWHERE = 'acuse verify checks it';
    /** By which the operator's clock may be ahead of the authority's. */
    private const CLOCK_TOLERANCE = '+5 minutes';

    /** @var list<Check> */
    private array $checks = [];
    /** @var array<string, string> */
    private array $files = [];
    private Content $content;
    private Revocation $revocation;
    /** @var array<string, mixed> */
    private array $openings;
    private PolicyDocument $policy;
    private ?\DateTimeImmutable $sealedAt = null;
    private bool $development = false;

    public function __construct(
        private readonly ?PolicyDocument $pinned,
        private readonly ?\DateTimeInterface $at,
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
        $found = array_column($this->checks, 'ok');
        $verdict = match (true) {
            in_array(false, $found, true) => Report::INVALID,
            in_array(null, $found, true) => Report::INCOMPLETE,
            default => Report::VALID,
        };
        return new Report(
            $verdict,
            $this->pinned === null ? 'bundle' : 'pinned',
            $this->sealedAt?->format('Y-m-d\TH:i:s.v\Z'),
            $this->development,
            $this->checks,
            $copy,
        );
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
        $entry = hash('sha256', $this->files['manifest.json'], true);
        $this->checkContent($manifest, bin2hex($entry));
        $text = $this->checkLeaf($this->files['proof.tlog-proof'], $manifest['log'], $entry, '');
        $this->check('stamped_checkpoint', fn () => Form::need(
            $this->files['checkpoint.txt'] === $text,
            'stamped_checkpoint',
            'checkpoint.txt is another checkpoint',
        ));
        $sealed = $this->checkConstancia();
        if (isset($this->files['message-constancia.tsr'])) {
            $name = new StampName('message-constancia.tsr', 'chain/message-constancia.pem', 'message_timestamp');
            $this->stamp($name, $this->files['manifest.json']);
        }
        $this->check('time_order', static fn () => Form::need(
            new \DateTimeImmutable($manifest['accepted_at']) <= $sealed->modify(self::CLOCK_TOLERANCE),
            'time_order',
            'accepted after it was sealed',
        ));
        $this->checkOutcomes($manifest, bin2hex($entry));
        if (!$this->revocation->isEmpty()) {
            $this->check('revocation', $this->revocation->checkNothingIdle(...));
        }
        $this->sealedAt = $sealed;
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

    /** Each chain, each sum and each list belongs to a time-stamp. */
    private function checkEntries(): void
    {
        $stamped = [];
        foreach (array_keys($this->files) as $name) {
            if (str_ends_with($name, '.tsr')) {
                $plain = preg_replace('/\.tsr\z|-(?:sent|bounced|cancelled|complained)/', '', $name);
                $stamped['chain/' . strtr($plain, '/', '-') . '.pem'] = true;
            }
        }
        foreach (array_keys($this->files) as $name) {
            $belongs = match (true) {
                str_starts_with($name, 'chain/') => isset($stamped[$name]),
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

    /** That the log has the entry: the text of the checkpoint that holds it. */
    private function checkLeaf(string $bytes, string $origin, string $entry, string $prefix): string
    {
        [$proof, $head] = $this->check("{$prefix}checkpoint", function () use ($bytes, $origin, $prefix): array {
            $proof = LogProof::parse($bytes);
            $head = TreeHead::parse($proof->note->text);
            Form::need($head->origin === $origin, "{$prefix}checkpoint", 'a checkpoint of another log');
            $signers = $proof->note->signers($this->policy->logKeys, VerifierKey::LOG);
            $signed = in_array($origin, array_column($signers, 'name'), true);
            Form::need($signed, "{$prefix}checkpoint", 'not signed by a trusted key of its log');
            return [$proof, $head];
        });
        $this->check("{$prefix}inclusion", static fn () => Form::need(
            Merkle::isIncluded(Merkle::leafHash($entry), $proof->index, $head->size, $proof->path, $head->root),
            "{$prefix}inclusion",
            'the path does not lead to the root',
        ));
        $this->check("{$prefix}witness", fn () => $this->checkWitnesses($proof->note, "{$prefix}witness"));
        return $proof->note->text;
    }

    /** Every cosignature of a trusted witness verifies, and enough operators cosigned. */
    private function checkWitnesses(Note $note, string $check): void
    {
        $signers = $note->signers($this->policy->witnessKeys, VerifierKey::WITNESS);
        $operators = array_unique(array_map(static fn (VerifierKey $key): string => $key->operator(), $signers));
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
            $after = $this->stamp($name, $text, $after);
        }
        $name = new StampName('constancia.tsr', 'chain/constancia.pem', 'timestamp');
        return $this->stamp($name, $this->files['checkpoint.txt'], $after);
    }

    /** Its time. */
    private function stamp(StampName $name, string $data, ?\DateTimeInterface $alsoAt = null): \DateTimeImmutable
    {
        [$time, $authority, $chain] = $this->check($name->check, fn (): array => TimeStamp::verify(
            $this->files,
            $name,
            $this->policy->authorities,
            $data,
            $alsoAt,
        ));
        $this->development = $this->development || ($authority['development'] ?? false);
        $required = isset($authority['revocation']);
        if (!$this->revocation->isEmpty() || $required) {
            $check = "{$name->check}_revocation";
            $this->check($check, fn () => $this->revocation->check($chain, $time, $required, $check));
        }
        return $time;
    }

    /** Section 5: each outcome is chained to the one before. */
    private function checkOutcomes(array $manifest, string $canonicalHash): void
    {
        $bases = array_map(
            static fn (string $name): string => explode('.', $name, 2)[0],
            array_values(preg_grep('~\Adelivery/~', array_keys($this->files))),
        );
        $bases = array_values(array_unique($bases));
        sort($bases, SORT_STRING);
        $previous = $canonicalHash;
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
            $entry = hash('sha256', $this->files["$base.json"], true);
            $proof = $this->files["$base.tlog-proof"] ?? '';
            $text = $this->checkLeaf($proof, $outcome['log'], $entry, "$check.");
            if (isset($this->files["$base.tsr"])) {
                $this->stamp(new StampName("$base.tsr", "chain/delivery-$number.pem", "$check.timestamp"), $text);
            }
            $previous = bin2hex($entry);
        }
    }
}
