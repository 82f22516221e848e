<?php

declare(strict_types=1);

use Acuse\Internal\Evidence\Algorithm;
use Acuse\Internal\Evidence\Certificate;
use Acuse\Internal\Evidence\Container;
use Acuse\Internal\Evidence\Der;
use Acuse\Internal\Evidence\DerProblem;
use Acuse\Internal\Evidence\PublicKey;
use Acuse\Internal\Evidence\Token;
use PHPUnit\Framework\TestCase;

/** DER, certificates, tokens. Bundles of the vectors try the rest. */
final class TimeStampTest extends TestCase
{
    private const BUNDLE = __DIR__ . '/../../../contract/vectors/bundles/good/sealed.zip';
    private const MUTANTS = 2_000;
    /** Made by OpenSSL over "signed data": algorithm, key, signature. */
    private const PSS = [
        'sha256' => [
            'MEEGCSqGSIb3DQEBCjA0oA8wDQYJYIZIAWUDBAIBBQChHDAaBgkqhkiG9w0BAQgwDQYJYIZIAWUDBAIBBQCiAwIBIA==',
            'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAmAI3JIiTY1MpxlG/4ADA9ku66aeSP5JFvzIdOqWt++kfVv6j'
            . 'YsTq4rbIa/XwFOq71C89se22azNqXTnIaTLxCDEcbnIXsg7zw7oNNzIdVd5Y17IWaqF71wFvnLHskU5Q5pwrUGI4mduS'
            . 'Mp4OteyHJqyfhS5JgjJt22hWx7SwZmIUx8yOsQ96GSKl6J6zfF+5ogK9H78YG2yYY90M0xwrpC2mFVI5l5tKzZjfY+f2'
            . 'NdH1NeM7o6DcGLa6yXU8dnI6mxktkroYIR4xGruSD9BMU+Z0tFQlzo7cjuwXdGPAjrOcc2Dflv4bVjUwBp9CuFsUBibb'
            . 'p/KeeNl7sMo9OSfQjQIDAQAB',
            'hqMPxR3Q0HAH8ftTlzNv7XeNvf6S0s5QEeH1FAc8b9v3Z35pdXc+spWY9Ng1X0cL4y8WjV4Ns10XRenXyy0pGBI5+f3J'
            . 'xn2ELyMlMSUxbptLru5q7EtoPTTIeEpNhIeBh1uFXTm70mIHj3weI0ihBCCAwqx/9/XHOthN6M5chnKrDdq6bxOUMNqU'
            . 'OI94xp3uNMPKNYhP2T+Lx2IrIdY+jAvjIwock8h2j7vZ6fdvcZTklIqrtuLCkdKNQoongKNUHZDVD4CkpjY0Z1KuqBin'
            . 'xfDIyIBKnFtCmgq0rYqBamMWE8oWSMXmnawrEuQomv7cvdWYmJ/bR0wnwc1Hme+JZw==',
        ],
        'sha512' => [
            'MDwGCSqGSIb3DQEBCjAvoA8wDQYJYIZIAWUDBAIDBQChHDAaBgkqhkiG9w0BAQgwDQYJYIZIAWUDBAIDBQA=',
            'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA1I/e++hBqhfUPJ0PJrZdrvVSFrNM0Jmtve5Ug6kfQ6xV9l18'
            . 'AbP9wrIV/2RazGa1kJRF2Bl1Q5dhNspWREai3ElmUDkRKEhGi1HUJ2HvPH1t4zaerfiKnkvI1tSM4jjVrOoNH/iCT483'
            . 'vseN+GsF/bvoeQ07o8utXzhv0Nh7fJHaCiPPgTMO7tWtITLyZVtHu2d6NnBpnng2VFJEA2XXka3bYzDDZkYtimA+cGMf'
            . 'YE7AxwYPjfIBBuXq/nHeajTQgk48NKaInMWpvQ5Oy7DJTeevv4+lmAcljgOSpwZbBX+H4y+gAJbnkL2r0uW9w9NjT7CW'
            . 'LNbEmkmdJil7d3LlBQIDAQAB',
            'LmfC4E9rxzSBHbv8PA1Yqtgvor0KMRQtA7mtvcxNRK15n+XzEoo+FDc0/LBBUiSv0X1tNDC0sUSojlnf7QxdQ17PM7p8'
            . 'jQUoF0XahPxp/NLNm1RqtNF+9eiUdYCFY97SseaF6c0GMwIcwgzChT9+F6dzAtRG1AQDf33vT7DgDMoTwO2eH2K15+WC'
            . 'BTUf5+hCPb2m28nGI3L2GOrbX2atrtXQjPtvjIfa8mvnfGv7kmVzjq2yehT2ab/+HcOTBwNM+O3bjoQmaBvHRUA2Y2lS'
            . 'fhlivWSHCuUVi9YLy0Xk/pM571jnh5caEhDSV43CcFI0Gz4e1ltVsAYYJnezL9WymA==',
        ],
    ];

    public function testVerifiesRsaPss(): void
    {
        foreach (self::PSS as $hash => $texts) {
            [$algorithm, $key, $signature] = array_map(base64_decode(...), $texts);
            $named = Algorithm::of(Der::only($algorithm));
            self::assertTrue(PublicKey::signed($key, $named, null, 'signed data', $signature), $hash);
            self::assertFalse(PublicKey::signed($key, $named, null, 'other data', $signature), $hash);
            for ($at = 0; $at < strlen($signature); $at += 16) {
                $changed = $signature;
                $changed[$at] = chr(ord($changed[$at]) ^ 1);
                self::assertFalse(PublicKey::signed($key, $named, null, 'signed data', $changed), "$hash $at");
            }
        }
    }

    public function testReadsDerOneWay(): void
    {
        $refused = [
            '' => 'nothing', '30' => 'no length', '3080' => 'indefinite', '308100' => 'a longer length than needed',
            '30820001' => 'cut short', '1f0100' => 'a tag of several bytes', '3085000000000100' => 'five length bytes',
            '300000' => 'bytes behind it',
        ];
        foreach ($refused as $hex => $why) {
            try {
                Der::only(hex2bin((string) $hex));
                self::fail($why);
            } catch (DerProblem) {
                self::assertTrue(true);
            }
        }
        $oids = ['06022a03' => '1.2.3', '0603550405' => '2.5.4.5', '0603883703' => '2.999.3'];
        // Below 2.25 are UUIDs, which are larger than an integer.
        $oids['061369' . str_repeat('83', 17) . '7f'] = '2.25.2009541536934675965334889413967135231';
        foreach ($oids as $hex => $text) {
            self::assertSame($text, Der::only(hex2bin($hex))->oid());
        }
        foreach (['0200', '02020001', '0202ff80', '010101'] as $hex) {
            $element = Der::only(hex2bin($hex));
            try {
                $element->tag === Der::BOOLEAN ? $element->boolean() : $element->integer();
                self::fail($hex);
            } catch (DerProblem) {
                self::assertTrue(true);
            }
        }
    }

    public function testReadsTimesThatThereAre(): void
    {
        $read = static fn (int $tag, string $text): string => Der::only(chr($tag) . chr(strlen($text)) . $text)
            ->time()->format('Y-m-d\TH:i:s.v');
        self::assertSame('2049-12-31T23:59:59.000', $read(Der::UTC_TIME, '491231235959Z'));
        self::assertSame('1950-01-01T00:00:00.000', $read(Der::UTC_TIME, '500101000000Z'));
        self::assertSame('2026-03-04T05:06:07.089', $read(Der::GENERALIZED_TIME, '20260304050607.089Z'));
        $cases = [
            [Der::GENERALIZED_TIME, '20260230000000Z'],
            [Der::GENERALIZED_TIME, '20260304050607'],
            [Der::GENERALIZED_TIME, '20260304050607.0Z'],
            [Der::GENERALIZED_TIME, '20260304246060Z'],
            [Der::UTC_TIME, '260304050607.5Z'],
            [Der::UTC_TIME, '2603040506Z'],
        ];
        foreach ($cases as [$tag, $text]) {
            try {
                $read($tag, $text);
                self::fail($text);
            } catch (DerProblem) {
                self::assertTrue(true);
            }
        }
    }

    public function testHostileTokensAndCertificatesAreRefusedAndNothingElse(): void
    {
        $files = Container::read(file_get_contents(self::BUNDLE));
        $token = $files['constancia.tsr'];
        $certificate = Certificate::chain($files['chain/constancia.pem'])[0]->der;
        mt_srand(7);
        $read = 0;
        for ($round = 0; $round < self::MUTANTS; $round++) {
            $bytes = $round % 2 === 0 ? $token : $certificate;
            for ($change = mt_rand(1, 3); $change > 0; $change--) {
                $bytes[mt_rand(0, strlen($bytes) - 1)] = chr(mt_rand(0, 255));
            }
            $bytes = $round % 5 === 0 ? substr($bytes, 0, mt_rand(0, strlen($bytes))) : $bytes;
            try {
                $found = $round % 2 === 0 ? Token::read($bytes) : Certificate::read($bytes);
                if ($found instanceof Certificate) {
                    $found->purposes();
                    $found->may(Certificate::SIGNS);
                    $found->pathLimit();
                    $found->keyId();
                    PublicKey::signed($found->key, $found->algorithm, null, $found->signed, $found->signature);
                }
                $read++;
            } catch (DerProblem $problem) {
                self::assertNotSame('', $problem->getMessage());
            }
        }
        self::assertGreaterThan(0, $read);
    }
}
