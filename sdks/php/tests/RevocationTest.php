<?php

declare(strict_types=1);

use Acuse\Internal\Evidence\Certificate;
use Acuse\Internal\Evidence\Link;
use Acuse\Internal\Evidence\Refused;
use Acuse\Internal\Evidence\Revocation;
use Acuse\Internal\Evidence\RevokedEntry;
use PHPUnit\Framework\TestCase;

/** Revocation lists and OCSP answers, as the vectors have them. */
final class RevocationTest extends TestCase
{
    private const MUTANTS = 1_000;

    /** @return array{array<string, mixed>, Link} revocation.json, and the stamp that it is about */
    private static function told(): array
    {
        $text = file_get_contents(__DIR__ . '/../../../contract/vectors/revocation.json');
        $told = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
        return [$told, new Link(new DateTimeImmutable($told['at']), Certificate::chain($told['chain']))];
    }

    /** good, revoked, doubted, unknown, or idle where the piece speaks of nobody. */
    private static function said(string $bytes, string $kind, Link $stamp): string
    {
        $revocation = new Revocation(["revocation/x.$kind" => $bytes]);
        $said = 'good';
        try {
            $revocation->check($stamp, true, 'x');
        } catch (Refused $problem) {
            $said = match (true) {
                str_contains($problem->getMessage(), 'revoked later') => 'doubted',
                str_contains($problem->getMessage(), 'revoked') => 'revoked',
                default => 'unknown',
            };
        }
        try {
            $revocation->checkNothingIdle();
        } catch (Refused) {
            return 'idle';
        }
        return $said;
    }

    public function testSaysWhatTheVectorsSay(): void
    {
        [$told, $stamp] = self::told();
        $good = array_column(array_filter($told['reasons'], static fn (array $each) => $each['good_before']), 'code');
        self::assertSame(RevokedEntry::GOOD_BEFORE, $good);
        foreach ($told['cases'] as ['name' => $name, 'kind' => $kind, 'standing' => $standing, 'data' => $data]) {
            self::assertSame($standing ?? 'idle', self::said(base64_decode($data), $kind, $stamp), "$kind: $name");
        }
    }

    public function testNoSingleBitMayChangeAndNothingMayBeCut(): void
    {
        mt_srand(13);
        [$told, $stamp] = self::told();
        $whole = array_filter($told['cases'], static fn (array $each) => $each['name'] === 'nobody revoked');
        foreach ($whole as ['kind' => $kind, 'data' => $data]) {
            $good = base64_decode($data);
            for ($round = 0; $round < self::MUTANTS; $round++) {
                $bit = mt_rand(0, 8 * strlen($good) - 1);
                $changed = $good;
                $changed[$bit >> 3] = chr(ord($good[$bit >> 3]) ^ 1 << ($bit & 7));
                self::assertSame('idle', self::said($changed, $kind, $stamp), "$kind, bit $bit");
            }
            for ($length = 0; $length < strlen($good); $length++) {
                self::assertSame('idle', self::said(substr($good, 0, $length), $kind, $stamp), "$kind, $length bytes");
            }
            self::assertSame('idle', self::said("$good\0", $kind, $stamp));
        }
    }
}
