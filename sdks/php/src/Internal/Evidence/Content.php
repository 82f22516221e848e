<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The checks of a bundle's content and outcomes: docs/evidence-format.md, sections 4 and 5. @internal */
final class Content
{
    /** Commitments of a manifest apart from its parts: body, header, raw, submission, two addresses. */
    private const COMMITMENTS = 6;

    /** @param array<string, string> $files */
    public function __construct(private readonly array $files)
    {
    }

    /** The commitment of a part. */
    public static function factsOf(array $part): array
    {
        $facts = ['filename' => null, 'media_type' => null, 'sha256' => null, 'size' => null];
        return array_replace($facts, array_intersect_key($part, $facts));
    }

    /** Section 4: each opens its commitment, and nothing is there unopened. @throws Refused */
    public function openings(array $manifest, string $canonicalHash): array
    {
        $check = 'openings';
        $openings = Documents::openings($this->files['openings.json'] ?? '');
        $mail = $openings['mail'];
        $own = $openings['canonical_hash'] === $canonicalHash;
        Form::need($own, $check, 'they are another message\'s');
        $pairs = [];
        foreach (array_intersect(['body', 'header', 'raw'], array_keys($mail)) as $name) {
            $pairs[] = [$mail[$name], $manifest['mail'][$name]];
        }
        foreach ($openings['envelope'] as $name => $opening) {
            $pairs[] = [$opening, $manifest['envelope'][$name]];
            $same = hash('sha256', $opening['value']) === $opening['sha256'];
            Form::need($same, $check, 'another address');
        }
        if (isset($openings['submission'])) {
            $pairs[] = [$openings['submission'], $manifest['submission']];
        }
        foreach ($pairs as [$opening, $commitment]) {
            $opens = Form::opens($opening['salt'], $opening['sha256'], $commitment);
            Form::need($opens, $check, 'an opening does not open its commitment');
        }
        self::checkParts($mail['parts'], $manifest['mail']['parts']);
        $opened = count($pairs) + count($mail['parts']);
        $all = $opened === self::COMMITMENTS + count($manifest['mail']['parts']);
        Form::need($openings['content'] !== 'complete' || $all, $check, 'not everything is opened');
        $erased = $openings['content'] !== 'erased' || $opened === 0;
        Form::need($erased, $check, 'something is opened that was erased');
        $this->checkPresent($openings);
        return $openings;
    }

    /** A file has the hash that was opened. @throws Refused */
    public function checkWhole(string $name, array $opening, string $check): void
    {
        Form::need(isset($this->files[$name]), $check, "$name is opened and not there");
        $same = hash('sha256', $this->files[$name]) === $opening['sha256'];
        Form::need($same, $check, "$name is another than was opened");
    }

    /** L1 of the message. @throws Refused */
    public function checkRelaxed(array $mail): void
    {
        $message = $this->files['message.eml'] ?? '';
        foreach (['header' => Layers::relaxedHeader(...), 'body' => Layers::relaxedBody(...)] as $name => $relax) {
            if (isset($mail[$name])) {
                $same = hash('sha256', $relax($message)) === $mail[$name]['sha256'];
                Form::need($same, 'message_relaxed', "another $name than was opened");
            }
        }
    }

    /** L2 of the message. @throws Refused @throws NotChecked */
    public function checkFound(array $parts): void
    {
        $found = Layers::parts($this->files['message.eml'] ?? '');
        foreach ($parts as $part) {
            $same = ($found[$part['index']] ?? null) === self::factsOf($part);
            Form::need($same, 'message_parts', "part {$part['index']} is another than was opened");
        }
    }

    /** L2 of parts that are there alone. @throws Refused */
    public function checkShown(array $parts): void
    {
        foreach ($parts as $part) {
            $name = self::partName($part['index']);
            $this->checkWhole($name, $part, 'message_parts');
            $same = strlen($this->files[$name]) === $part['size'];
            Form::need($same, 'message_parts', "$name has another size than was opened");
        }
    }

    /**
     * One outcome, and its openings. Section 5.
     * @param string $base `delivery/NN-kind`
     * @throws Refused
     */
    public function outcome(string $base, int $number, array $manifest, string $canonicalHash, string $previous): array
    {
        $check = sprintf('delivery.%02d', $number);
        $bytes = $this->files["$base.json"] ?? null;
        Form::need($bytes !== null, $check, 'the outcome is missing');
        $outcome = Documents::outcome($bytes, $check);
        $named = $base === sprintf('delivery/%02d-%s', $number, $outcome['kind']);
        Form::need($named, $check, 'another kind or number than its name\'s');
        $same = $outcome['log'] === $manifest['log'] && $outcome['message_id'] === $manifest['message_id']
            && $outcome['message_canonical_hash'] === $canonicalHash;
        Form::need($same, $check, 'another message\'s');
        Form::need($outcome['previous'] === $previous, $check, 'not chained to the one before');
        if ($outcome['kind'] === 'unanswered') {
            $until = $manifest['acknowledgement']->until ?? null;
            Form::need($until !== null, $check, 'it answers what the message did not ask for');
            $over = Times::ofText($until) <= Times::ofText($outcome['occurred_at']);
            Form::need($over, $check, 'unanswered while the recipient still had time to answer');
        }
        $opened = null;
        if (isset($this->files["$base.openings.json"])) {
            $opened = Documents::outcomeOpenings(
                $this->files["$base.openings.json"],
                $outcome['kind'],
                $outcome['source'],
                $check,
            );
            $own = $opened['canonical_hash'] === hash('sha256', $bytes);
            Form::need($own, $check, 'openings of another outcome');
            $facts = hash('sha256', StrictJson::canonical($opened['facts']['value']));
            $opens = Form::opens($opened['facts']['salt'], $facts, $outcome['facts']);
            Form::need($opens, $check, 'the facts do not open their commitment');
        }
        $this->checkPapers($base, $outcome, $opened, $check);
        return $outcome;
    }

    /** True if the recipient acknowledged by mail and the bundle opens that mail. */
    public function isReply(string $base, array $outcome): bool
    {
        $pair = "{$outcome['kind']} {$outcome['source']}";
        return $pair === 'acknowledged reported_by_mail' && isset($this->files["$base.openings.json"]);
    }

    /** @param ?string $recipient null where it is not opened @throws Refused */
    public function checkReply(string $base, array $outcome, ?string $recipient, string $check): void
    {
        $bytes = $this->files["$base.openings.json"];
        $opened = Documents::outcomeOpenings($bytes, $outcome['kind'], $outcome['source'], $check);
        Reply::check($this->files["$base.dsn.eml"], $opened, $outcome['message_id'], $recipient, $check);
    }

    private function checkPapers(string $base, array $outcome, ?array $opened, string $check): void
    {
        foreach (['transcript' => 'transcript.json', 'dsn' => 'dsn.eml'] as $label => $end) {
            $name = "$base.$end";
            $opening = $opened[$label] ?? null;
            $there = isset($this->files[$name]) === ($opening !== null);
            Form::need($there, $check, "$label is not there exactly if opened");
            $all = $opened === null || ($opening === null) === ($outcome[$label] === null);
            Form::need($all, $check, "$label is not opened");
            if ($opening !== null) {
                $this->checkWhole($name, $opening, $check);
                $opens = Form::opens($opening['salt'], $opening['sha256'], $outcome[$label]);
                Form::need($opens, $check, "another $label than was opened");
            }
        }
    }

    private static function checkParts(array $parts, array $sealed): void
    {
        $last = -1;
        foreach ($parts as $part) {
            $follows = $last < $part['index'] && $part['index'] < count($sealed);
            Form::need($follows, 'openings', 'the parts are not in order, or one too many');
            $last = $part['index'];
            $facts = hash('sha256', StrictJson::canonical((object) self::factsOf($part)));
            $opens = Form::opens($part['salt'], $facts, $sealed[$last]);
            Form::need($opens, 'openings', 'a part does not open its commitment');
        }
    }

    /** No content is there that is not opened. */
    private function checkPresent(array $openings): void
    {
        $shown = isset($openings['submission']) ? ['submission.bin'] : [];
        $alone = array_map(self::partName(...), array_column($openings['mail']['parts'], 'index'));
        $shown = isset($openings['mail']['raw']) ? [...$shown, 'message.eml'] : [...$shown, ...$alone];
        foreach (array_keys($this->files) as $name) {
            $content = in_array($name, ['message.eml', 'submission.bin'], true) || str_starts_with($name, 'parts/');
            $opened = !$content || in_array($name, $shown, true);
            Form::need($opened, 'openings', 'content that is not opened');
        }
    }

    private static function partName(int $index): string
    {
        return sprintf('parts/%02d.bin', $index);
    }
}
