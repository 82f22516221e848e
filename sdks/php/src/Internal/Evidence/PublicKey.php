<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** Signatures of certificates and time-stamps: RSA, RSA-PSS and ECDSA over SHA-2. @internal */
final class PublicKey
{
    private const RSA = '1.2.840.113549.1.1.1';
    private const PSS = '1.2.840.113549.1.1.10';
    private const MGF1 = '1.2.840.113549.1.1.8';
    private const NAMED = [
        '1.2.840.113549.1.1.11' => [OPENSSL_KEYTYPE_RSA, 'sha256'],
        '1.2.840.113549.1.1.12' => [OPENSSL_KEYTYPE_RSA, 'sha384'],
        '1.2.840.113549.1.1.13' => [OPENSSL_KEYTYPE_RSA, 'sha512'],
        '1.2.840.10045.4.3.2' => [OPENSSL_KEYTYPE_EC, 'sha256'],
        '1.2.840.10045.4.3.3' => [OPENSSL_KEYTYPE_EC, 'sha384'],
        '1.2.840.10045.4.3.4' => [OPENSSL_KEYTYPE_EC, 'sha512'],
    ];
    private const ALGORITHMS = [
        'sha256' => OPENSSL_ALGO_SHA256,
        'sha384' => OPENSSL_ALGO_SHA384,
        'sha512' => OPENSSL_ALGO_SHA512,
    ];
    private const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];
    private const MIN_RSA_BITS = 2_048;
    private const MAX_RSA_BITS = 8_192;
    /** Of at most 31 bits. */
    private const EXPONENTS = 1 << 31;
    private const DEFAULT_SALT = 20;

    /**
     * True if the key signed the data.
     * @param string $key SubjectPublicKeyInfo
     * @param string|null $digest of plain RSA, whose hash is named elsewhere
     * @throws DerProblem
     */
    public static function signed(
        string $key,
        Algorithm $algorithm,
        ?string $digest,
        string $data,
        string $signature,
    ): bool {
        $lines = chunk_split(base64_encode($key), 64, "\n");
        $public = openssl_pkey_get_public("-----BEGIN PUBLIC KEY-----\n$lines-----END PUBLIC KEY-----\n");
        $facts = $public === false ? false : openssl_pkey_get_details($public);
        if ($facts === false || !self::isSound($facts)) {
            return false;
        }
        if ($algorithm->oid === self::PSS) {
            [$hash, $salt] = self::pss($algorithm->parameters);
            return $facts['type'] === OPENSSL_KEYTYPE_RSA && ($digest ?? $hash) === $hash
                && openssl_public_decrypt($signature, $encoded, $public, OPENSSL_NO_PADDING)
                && Pss::encodes($encoded, $facts['bits'] - 1, $hash, $salt, $data);
        }
        $known = $algorithm->oid === self::RSA && $digest !== null
            ? [OPENSSL_KEYTYPE_RSA, $digest]
            : self::NAMED[$algorithm->oid] ?? [-1, 'sha256'];
        return $facts['type'] === $known[0] && ($digest ?? $known[1]) === $known[1]
            && openssl_verify($data, $signature, $public, self::ALGORITHMS[$known[1]]) === 1;
    }

    private static function isSound(array $facts): bool
    {
        return match ($facts['type']) {
            OPENSSL_KEYTYPE_RSA => $facts['bits'] >= self::MIN_RSA_BITS && $facts['bits'] <= self::MAX_RSA_BITS
                && hexdec(bin2hex($facts['rsa']['e'])) < self::EXPONENTS,
            OPENSSL_KEYTYPE_EC => in_array($facts['ec']['curve_name'] ?? '', self::CURVES, true),
            default => false,
        };
    }

    /**
     * The hash and the length of the salt. RFC 4055 §3.1
     * @return array{string, int}
     */
    private static function pss(?Der $parameters): array
    {
        $stated = [];
        foreach ($parameters?->sequence() ?? [] as $each) {
            $stated[$each->tag] = $each->inner();
        }
        if (!isset($stated[0xa0], $stated[0xa1]) || array_diff_key($stated, [0xa0 => 0, 0xa1 => 0, 0xa2 => 0]) !== []) {
            throw new DerProblem('RSA-PSS with SHA-1, or of another form');
        }
        $hash = Algorithm::of($stated[0xa0])->hash();
        $mask = Algorithm::of($stated[0xa1]);
        $same = $mask->oid === self::MGF1 && $mask->parameters !== null
            && Algorithm::of($mask->parameters)->hash() === $hash;
        if ($hash === null || !$same) {
            throw new DerProblem('RSA-PSS without one SHA-2 hash throughout');
        }
        return [$hash, isset($stated[0xa2]) ? $stated[0xa2]->small() : self::DEFAULT_SALT];
    }
}
