<?php

declare(strict_types=1);

use Acuse\Internal\Evidence\Certificate;
use Acuse\Internal\Evidence\Container;
use Acuse\Internal\Evidence\Der;
use Acuse\Internal\Evidence\Link;
use Acuse\Internal\Evidence\Refused;
use Acuse\Internal\Evidence\Revocation;
use Acuse\Internal\Evidence\RevokedEntry;
use PHPUnit\Framework\TestCase;

/** Revocation lists and OCSP answers, signed with the public keys of contract/vectors. */
final class RevocationTest extends TestCase
{
    private const VECTORS = __DIR__ . '/../../../contract/vectors';
    private const SHA256_RSA = "\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0b\x05\x00";
    private const SHA1 = "\x30\x07\x06\x05\x2b\x0e\x03\x02\x1a";
    private const BASIC = "\x06\x09\x2b\x06\x01\x05\x05\x07\x30\x01\x01";
    private const OCSP_SIGNING = "\x30\x0a\x06\x08\x2b\x06\x01\x05\x05\x07\x03\x09";
    private const TIME_STAMPING = "\x30\x0a\x06\x08\x2b\x06\x01\x05\x05\x07\x03\x08";
    private const EXTENDED_KEY_USAGE = "\x06\x03\x55\x1d\x25";
    private const NOW = '20300101000000Z';
    private const BEFORE = '20291231235959Z';
    private const AFTER = '20300101000001Z';
    private const MUTANTS = 1_000;

    /** @return list<Certificate> a signer and its root */
    private static function chain(): array
    {
        $files = Container::read(file_get_contents(self::VECTORS . '/bundles/good/sealed.zip'));
        return Certificate::chain($files['chain/constancia.pem']);
    }

    private static function der(int $tag, string ...$content): string
    {
        $bytes = implode('', $content);
        $length = strlen($bytes);
        $long = $length < 256 ? "\x81" . chr($length) : "\x82" . pack('n', $length);
        return chr($tag) . ($length < 128 ? chr($length) : $long) . $bytes;
    }

    private static function time(string $text): string
    {
        return self::der(Der::GENERALIZED_TIME, $text);
    }

    private static function signed(string $body, string $key = 'root', string ...$more): string
    {
        openssl_sign($body, $signature, file_get_contents(self::VECTORS . "/keys/$key.pem"), OPENSSL_ALGO_SHA256);
        return self::der(Der::SEQUENCE, $body, self::SHA256_RSA, self::der(Der::BITS, "\0", $signature), ...$more);
    }

    /** With an entry for the signer, unless that is null. */
    private static function list(?string $revoked, ?string $next = self::NOW, string $extensions = ''): string
    {
        [$signer, $root] = self::chain();
        $entry = $revoked === null
            ? ''
            : self::der(Der::SEQUENCE, self::der(Der::INTEGER, $signer->serial), self::time($revoked));
        return self::signed(self::der(
            Der::SEQUENCE,
            self::der(Der::INTEGER, "\1"),
            self::SHA256_RSA,
            $root->subject,
            self::time('20250101000000Z'),
            $next === null ? '' : self::time($next),
            $entry === '' ? '' : self::der(Der::SEQUENCE, $entry),
            $extensions === '' ? '' : self::der(0xa0, self::der(Der::SEQUENCE, $extensions)),
        ));
    }

    private static function answer(string $status, string $key = 'root', string $carried = ''): string
    {
        [$signer, $root] = self::chain();
        [, $bits] = Der::only($root->key)->sequence(2, 2);
        $id = self::der(
            Der::SEQUENCE,
            self::SHA1,
            self::der(Der::OCTETS, sha1($root->subject, true)),
            self::der(Der::OCTETS, sha1($bits->octetsOfBits(), true)),
            self::der(Der::INTEGER, $signer->serial),
        );
        $next = self::der(0xa0, self::time(self::AFTER));
        $single = self::der(Der::SEQUENCE, $id, $status, self::time(self::BEFORE), $next);
        $by = self::der(0xa1, $root->subject);
        $data = self::der(Der::SEQUENCE, $by, self::time(self::BEFORE), self::der(Der::SEQUENCE, $single));
        $certificates = $carried === '' ? '' : self::der(0xa0, self::der(Der::SEQUENCE, $carried));
        $basic = self::der(Der::OCTETS, self::signed($data, $key, $certificates));
        return self::der(Der::SEQUENCE, "\x0a\1\0", self::der(0xa0, self::der(Der::SEQUENCE, self::BASIC, $basic)));
    }

    /** A certificate of signer-2's key, made by the root or by somebody else. */
    private static function responder(string $purposes, string $by = 'root', string $ends = self::AFTER): string
    {
        [, $root] = self::chain();
        $public = openssl_pkey_get_private(file_get_contents(self::VECTORS . '/keys/signer-2.pem'));
        $pem = openssl_pkey_get_details($public)['key'];
        $key = base64_decode(preg_replace('/-----[A-Z ]+-----|\s/', '', $pem));
        $usage = self::der(Der::SEQUENCE, self::EXTENDED_KEY_USAGE, self::der(Der::OCTETS, $purposes));
        return self::signed(self::der(
            Der::SEQUENCE,
            self::der(0xa0, self::der(Der::INTEGER, "\2")),
            self::der(Der::INTEGER, "\x55"),
            self::SHA256_RSA,
            $root->subject,
            self::der(Der::SEQUENCE, self::time('20250101000000Z'), self::time($ends)),
            self::der(Der::SEQUENCE),
            $key,
            self::der(0xa3, self::der(Der::SEQUENCE, $usage)),
        ), $by);
    }

    /** good, revoked, doubted, unknown, or idle where the piece speaks of nobody. */
    private static function said(string $bytes, string $kind, ?Link $stamp = null): string
    {
        $stamp ??= new Link(new DateTimeImmutable('2030-01-01T00:00:00.250Z'), self::chain());
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

    public function testListsSayWhoWasRevokedAndWhen(): void
    {
        self::assertCount(2, self::chain());
        self::assertSame('good', self::said(self::list(null), 'crl'));
        self::assertSame('doubted', self::said(self::list(self::AFTER), 'crl'));
        self::assertSame('revoked', self::said(self::list(self::BEFORE), 'crl'));
        self::assertSame('revoked', self::said(self::list(self::NOW), 'crl'));
        self::assertSame('unknown', self::said(self::list(null, self::BEFORE), 'crl'));
        self::assertSame('unknown', self::said(self::list(null, null), 'crl'));
    }

    public function testListsThatLeaveSomebodyOutSayNothing(): void
    {
        $critical = "\1\1\xff";
        $point = static fn (string $content): string => self::der(
            Der::SEQUENCE,
            "\x06\x03\x55\x1d\x1c",
            $critical,
            self::der(Der::OCTETS, self::der(Der::SEQUENCE, $content)),
        );
        $delta = self::der(Der::SEQUENCE, "\x06\x03\x55\x1d\x1b", $critical, self::der(Der::OCTETS, "\2\1\1"));
        self::assertSame('good', self::said(self::list(null, extensions: $point("\xa0\0")), 'crl'));
        self::assertSame('idle', self::said(self::list(null, extensions: $point("\x81\1\xff")), 'crl'));
        self::assertSame('idle', self::said(self::list(null, extensions: $delta), 'crl'));
    }

    public function testAnswersAreTheIssuersOrItsRespondersOwn(): void
    {
        $revoked = static fn (string $time): string => self::der(0xa1, self::time($time));
        self::assertSame('good', self::said(self::answer("\x80\0"), 'ocsp'));
        self::assertSame('unknown', self::said(self::answer("\x82\0"), 'ocsp'));
        self::assertSame('revoked', self::said(self::answer($revoked(self::NOW)), 'ocsp'));
        self::assertSame('doubted', self::said(self::answer($revoked(self::AFTER)), 'ocsp'));
        self::assertSame('idle', self::said(self::answer("\x80\0", 'stranger'), 'ocsp'));
        $by = static fn (string ...$how): string =>
            self::said(self::answer("\x80\0", 'signer-2', self::responder(...$how)), 'ocsp');
        self::assertSame('good', $by(self::OCSP_SIGNING));
        self::assertSame('idle', $by(self::TIME_STAMPING));
        self::assertSame('idle', $by(self::OCSP_SIGNING, 'stranger'));
        self::assertSame('idle', $by(self::OCSP_SIGNING, 'root', '20291231235958Z'));
    }

    public function testWhatEachReasonMeans(): void
    {
        $told = json_decode(file_get_contents(self::VECTORS . '/revocation.json'), true, flags: JSON_THROW_ON_ERROR);
        $good = array_column(array_filter($told['reasons'], static fn (array $each) => $each['good_before']), 'code');
        self::assertSame(RevokedEntry::GOOD_BEFORE, $good);
        $stamp = new Link(new DateTimeImmutable($told['at']), Certificate::chain($told['chain']));
        foreach ($told['cases'] as ['name' => $name, 'kind' => $kind, 'standing' => $standing, 'data' => $data]) {
            self::assertSame($standing ?? 'idle', self::said(base64_decode($data), $kind, $stamp), "$kind: $name");
        }
    }

    public function testNoSingleBitMayChangeAndNothingMayBeCut(): void
    {
        mt_srand(13);
        foreach (['crl' => self::list(self::NOW), 'ocsp' => self::answer("\x80\0")] as $kind => $good) {
            for ($round = 0; $round < self::MUTANTS; $round++) {
                $bit = mt_rand(0, 8 * strlen($good) - 1);
                $changed = $good;
                $changed[$bit >> 3] = chr(ord($good[$bit >> 3]) ^ 1 << ($bit & 7));
                self::assertSame('idle', self::said($changed, $kind), "$kind, bit $bit");
            }
            for ($length = 0; $length < strlen($good); $length++) {
                self::assertSame('idle', self::said(substr($good, 0, $length), $kind), "$kind, $length bytes");
            }
            self::assertSame('idle', self::said("$good\0", $kind));
        }
    }
}
