<?php

declare(strict_types=1);

use Acuse\Check;
use Acuse\Copy;
use Acuse\Errors\ConfigurationError;
use Acuse\Errors\NotABundleError;
use Acuse\Internal\Evidence\Container;
use Acuse\Internal\Evidence\Layers;
use Acuse\Internal\Evidence\LogEnd;
use Acuse\Internal\Evidence\NotChecked;
use Acuse\Internal\Evidence\PinnedKey;
use Acuse\Internal\Evidence\Refused;
use Acuse\Internal\Evidence\StrictJson;
use Acuse\Internal\Evidence\Text;
use Acuse\Internal\Evidence\TreeHead;
use Acuse\Internal\Evidence\VerifierKey;
use Acuse\Policy;
use Acuse\Report;
use Acuse\Verifier;
use PHPUnit\Framework\TestCase;

/** Bundles, messages and JSON, against contract/vectors. */
final class VerifierTest extends TestCase
{
    /** Files that break one rule each: every verifier names the same check. */
    private const ONE_RULE = '~\Abroken/(?:history|order|times|outcomes|openings-withheld|window|revoked|revocation'
        . '|mldsa44|witness-(?:own|time|too|of-outcome))-~';

    private static function pathOf(string $name): string
    {
        return __DIR__ . "/../../../contract/vectors/bundles/$name";
    }

    private static function judged(string $bundle, ?string $now = null): ?Report
    {
        $clock = $now === null ? null : new DateTimeImmutable($now);
        try {
            return Verifier::verifyBytes($bundle, Verifier::TRUST_BUNDLE, now: $clock);
        } catch (NotABundleError) {
            return null;
        }
    }

    /** @return list<string> names of the checks that came out so */
    private static function named(Report $report, ?bool $ok): array
    {
        return array_column(array_filter($report->checks, static fn (Check $each): bool => $each->ok === $ok), 'name');
    }

    public function testJudgesEveryBundle(): void
    {
        $valid = 0;
        foreach (vectors('bundles.json')['cases'] as $case) {
            $file = $case['file'];
            $report = self::judged(file_get_contents(self::pathOf($file)), $case['now']);
            if ($report === null) {
                self::assertSame(['bundle'], $case['failed'], $file);
                continue;
            }
            $failed = self::named($report, false);
            self::assertSame([$case['valid'], $case['verdict']], [$report->valid, $report->verdict], $file);
            if ($case['valid']) {
                self::assertSame([], [...$failed, ...self::named($report, null)], $file);
                self::assertSame([$case['reasons'], $case['warnings']], self::remarks($report), $file);
                self::assertNotNull($report->sealedAt);
                $valid++;
            } else {
                $isOne = preg_match(self::ONE_RULE, $file) === 1;
                self::assertContains($failed[0], $isOne ? [$case['failed'][0]] : $case['failed'], $file);
                self::assertSame($failed, self::remarks($report)[0], $file);
            }
        }
        self::assertGreaterThanOrEqual(37, $valid);
    }

    public function testTellsOfSecondSignaturesThatItDoesNotCheck(): void
    {
        $cases = vectors('bundles.json')['mldsa44'];
        self::assertGreaterThanOrEqual(5, count($cases));
        foreach ($cases as $case) {
            $report = self::judged(file_get_contents(self::pathOf($case['file'])), $case['now']);
            $told = ['verdict' => $report->verdict, 'warnings' => self::remarks($report)[1]];
            self::assertSame($case['unchecked'], $told, $case['file']);
        }
    }

    /** @return array{list<string>, list<string>} names of reasons and warnings */
    private static function remarks(Report $report): array
    {
        return [array_column($report->reasons, 'name'), array_column($report->warnings, 'name')];
    }

    public function testTheClockIsTheSystemsUnlessOneIsGiven(): void
    {
        $good = file_get_contents(self::pathOf('good/sealed.zip'));
        $here = self::judged($good);
        self::assertSame([true, ['outcomes_old']], [$here->valid, self::remarks($here)[1]]);
        self::assertSame(['witness'], self::remarks(self::judged($good, '2020-01-01T00:00:00Z'))[0]);
        self::assertSame('bundle_keys', json_decode(json_encode($here))->reasons[0]->name);
    }

    public function testTheChainMustBeValidAtTheTimeThatIsGiven(): void
    {
        $file = self::pathOf('good/sealed.zip');
        $report = Verifier::verify($file, Verifier::TRUST_BUNDLE);
        $sealed = new DateTimeImmutable($report->sealedAt);
        self::assertTrue(Verifier::verify($file, Verifier::TRUST_BUNDLE, $sealed)->valid);
        $late = Verifier::verify($file, Verifier::TRUST_BUNDLE, new DateTimeImmutable('2999-01-01'));
        self::assertSame([Report::REJECTED, ['timestamp']], [$late->verdict, self::named($late, false)]);
    }

    public function testAPinnedPolicyWithoutTheAuthorityMakesItInvalid(): void
    {
        $stranger = json_encode(['time_stamps' => []] + json_decode(self::ownPolicy(), true), JSON_THROW_ON_ERROR);
        $report = Verifier::verify(self::pathOf('good/sealed.zip'), Policy::fromJson($stranger));
        self::assertSame([Report::REJECTED, ['timestamp']], [$report->verdict, self::named($report, false)]);
    }

    private static function ownPolicy(string $bundle = 'good/sealed.zip'): string
    {
        return Container::read(file_get_contents(self::pathOf($bundle)))['policy.json'];
    }

    public function testNoBeginningOfABundleIsValid(): void
    {
        $good = file_get_contents(self::pathOf('good/complete.zip'));
        for ($length = 0; $length < strlen($good); $length += 199) {
            self::assertNotTrue(self::judged(substr($good, 0, $length))?->valid, "$length bytes");
        }
    }

    public function testSaysWhatIsNotABundle(): void
    {
        foreach (['', 'PK', '{}', random_bytes(100)] as $bytes) {
            self::assertNull(self::judged($bytes));
        }
        $this->expectException(NotABundleError::class);
        Verifier::verify(self::pathOf('nothing.zip'), Verifier::TRUST_BUNDLE);
    }

    public function testComparesReceivedCopies(): void
    {
        $bundles = [];
        foreach (vectors('bundles.json')['received'] as $case) {
            $eml = file_get_contents(__DIR__ . "/../../../contract/vectors/received/{$case['file']}");
            $bundle = $bundles[$case['bundle']] ??= file_get_contents(self::pathOf($case['bundle']));
            $report = Verifier::verifyBytes($bundle, Verifier::TRUST_BUNDLE, eml: $eml);
            $copy = $report->copy;
            $told = [$copy->verdict, $copy->bytes, $copy->relaxed, $copy->parts];
            $wanted = [$case['verdict'], $case['L0'], $case['L1'], $case['L2']];
            self::assertSame($wanted, $told, "{$case['file']} and {$case['bundle']}");
            self::assertTrue($copy->verdict === Copy::NOT_COMPARABLE || $report->valid);
        }
    }

    public function testACopyInACharsetThatIsNotReadIsNotJudgedByItsParts(): void
    {
        $eml = "Content-Type: text/plain; charset=shift_jis\r\n\r\n\x82\xa0\r\n";
        $parts = file_get_contents(self::pathOf('good/one-part-disclosed.zip'));
        $report = Verifier::verifyBytes($parts, Verifier::TRUST_BUNDLE, eml: $eml);
        self::assertSame([null, false, Report::UNPROVEN], [$report->copy, $report->valid, $report->verdict]);
        self::assertContains('not_checked', self::remarks($report)[0]);
        self::assertSame(['received_copy'], self::named($report, null));
        $whole = file_get_contents(self::pathOf('good/sealed.zip'));
        $report = Verifier::verifyBytes($whole, Verifier::TRUST_BUNDLE, eml: $eml);
        self::assertSame([Copy::DIFFERS, null], [$report->copy->verdict, $report->copy->parts]);
        self::assertTrue($report->valid);
    }

    public function testNothingIsComparedWithABundleThatIsInvalid(): void
    {
        $eml = file_get_contents(__DIR__ . '/../../../contract/vectors/received/as-sent.eml');
        $broken = substr_replace(file_get_contents(self::pathOf('good/stored.zip')), 'X', 2_000, 1);
        $report = Verifier::verifyBytes($broken, Verifier::TRUST_BUNDLE, eml: $eml);
        self::assertSame([Report::REJECTED, Copy::NOT_COMPARABLE], [$report->verdict, $report->copy->verdict]);
    }

    public function testAPolicyThatIsNoneIsAConfigurationError(): void
    {
        foreach (['', '[]', '{"type":"acuse/policy/v1"}', '{"a":1,"a":2}'] as $json) {
            try {
                Policy::fromJson($json);
                self::fail($json);
            } catch (ConfigurationError $error) {
                self::assertStringStartsWith('This is not a policy', $error->getMessage());
            }
        }
        $this->expectException(ConfigurationError::class);
        Policy::load(self::pathOf('nothing.json'));
    }

    public function testSaysWhichFieldOfAPolicyIsNotAsItMustBe(): void
    {
        $own = json_decode(file_get_contents(self::pathOf('good/sealed.json')), true);
        $policy = array_column($own['entries'], 'text', 'name')['policy.json'];
        $wrong = [
            'log_keys is missing' => '{}',
            'the field "quorum" is not known' => json_encode(['quorum' => 1] + json_decode($policy, true)),
        ];
        foreach ($wrong as $said => $json) {
            try {
                Policy::fromJson($json);
                self::fail($json);
            } catch (ConfigurationError $error) {
                self::assertSame("This is not a policy: $said.", $error->getMessage());
            }
        }
    }

    public function testShowsNoTreeThatALogHadNotPublishedWhenItEnded(): void
    {
        [$secrets, $keys] = [[], []];
        foreach (['log.test/old', 'log.test/new'] as $name) {
            $pair = sodium_crypto_sign_keypair();
            $secrets[$name] = sodium_crypto_sign_secretkey($pair);
            $material = "\1" . sodium_crypto_sign_publickey($pair);
            $id = substr(hash('sha256', "$name\n$material"), 0, 8);
            $keys[$name] = "$name+$id+" . base64_encode($material);
        }
        [$kept, $published] = [str_repeat('k', 32), str_repeat('p', 32)];
        $trees = '7 ' . base64_encode($kept) . "\n9 " . base64_encode($published);
        $time = '2026-03-05T00:00:00.000Z';
        $text = "acuse/log-end/v1\nlog.test/old\n$trees\n$time\n{$keys['log.test/new']}\nlost\n";
        $note = "$text\n";
        foreach ($secrets as $name => $secret) {
            $id = hex2bin(explode('+', $keys[$name])[1]);
            $note .= "— $name " . base64_encode($id . sodium_crypto_sign_detached($text, $secret)) . "\n";
        }
        $pinned = [];
        foreach ($keys as $key) {
            $pinned[] = new PinnedKey(VerifierKey::parse($key));
        }
        self::assertSame([], LogEnd::all(str_replace('lost', 'lent', $note), $pinned));
        [$end] = LogEnd::all($note, $pinned);
        self::assertEquals($pinned[1]->key, $end->successor);
        $other = str_repeat('x', 32);
        foreach ([[7, $kept], [9, $published], [8, $other]] as [$size, $root]) {
            $end->checkWithin(TreeHead::parse("log.test/old\n$size\n" . base64_encode($root) . "\n"));
        }
        foreach ([[9, $other], [7, $published], [10, $published]] as [$size, $root]) {
            try {
                $end->checkWithin(TreeHead::parse("log.test/old\n$size\n" . base64_encode($root) . "\n"));
                self::fail("$size leaves");
            } catch (Refused $problem) {
                self::assertSame('log_end', $problem->check);
            }
        }
    }

    public function testReadsTheLayersOfMessages(): void
    {
        foreach (vectors('messages.json') as $case) {
            $message = base64_decode($case['message'], true);
            $name = $case['name'];
            self::assertSame($case['header_sha256'], hash('sha256', Layers::relaxedHeader($message)), $name);
            self::assertSame($case['body_sha256'], hash('sha256', Layers::relaxedBody($message)), $name);
            self::assertEquals($case['parts'], Layers::parts($message), $name);
        }
    }

    public function testCharsetsOfOthersAreNotChecked(): void
    {
        self::assertSame("\u{20ac}\u{81}\u{e9}", Text::ofCharset("\x80\x81\xe9", 'ISO-8859-1'));
        // One character for the longest beginning of one, as the Encoding Standard has it.
        self::assertSame("a\u{fffd}b\u{fffd}\u{fffd}", Text::ofCharset("a\xe2\x82b\xc0\xf0", 'utf-8'));
        self::assertSame("\u{feff}a", Text::ofCharset("\xef\xbb\xbfa", 'UTF8'));
        $this->expectException(NotChecked::class);
        Layers::parts("Content-Type: text/plain; charset=shift_jis\r\n\r\n\x82\xa0");
    }

    public function testDecodesMailAsTheFormatSays(): void
    {
        self::assertSame("a b=41\nc=3", Text::ofQuotedPrintable("a=20b==\r\n41 \t\nc=3=\n"));
        self::assertSame('abc', Text::ofBase64("YW-Jj\r\n==YW"));
        self::assertSame("\u{e9}\u{e8} ?", Text::ofWords('=?iso-8859-1?Q?=E9?= =?utf-8?b?w6g=?= ?'));
    }

    public function testHostilePartsEndInARefusal(): void
    {
        $deep = '';
        for ($depth = 0; $depth < 30; $depth++) {
            $deep .= "Content-Type: multipart/mixed; boundary=b$depth\r\n\r\n--b$depth\r\n";
        }
        $many = "Content-Type: multipart/mixed; boundary=b\r\n\r\n" . str_repeat("--b\r\n\r\n", 200);
        foreach ([$deep, $many, str_repeat("A: b\r\n", 2_001)] as $message) {
            try {
                Layers::parts($message);
                self::fail(substr($message, 0, 40));
            } catch (Refused $problem) {
                self::assertSame('message_parts', $problem->check);
            }
        }
    }

    public function testReadsOnlyCanonicalJson(): void
    {
        $found = vectors('canonical.json');
        foreach ($found['canonical'] as $case) {
            // No document has numbers beyond 2^53 − 1.
            if (str_contains($case['canonical'], 'e+')) {
                continue;
            }
            $value = StrictJson::readCanonical($case['canonical'], 'test');
            self::assertSame($case['sha256'], hash('sha256', StrictJson::canonical($value)), $case['name']);
        }
        foreach ($found['refused'] as $case) {
            try {
                StrictJson::readCanonical($case['text'], 'test');
                self::fail($case['name']);
            } catch (Refused $problem) {
                self::assertSame('test', $problem->check);
            }
        }
    }
}
