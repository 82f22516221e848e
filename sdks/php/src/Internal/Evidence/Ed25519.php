<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** Ed25519 signatures, strictly: no small-order keys, one encoding. RFC 8032 §5.1.7 @internal */
final class Ed25519
{
    /**
     * The y-coordinates (little endian) of the points whose order divides 8: under such a key one signature fits
     * many texts.
     */
    private const SMALL_ORDER = [
        '0000000000000000000000000000000000000000000000000000000000000000',
        '0100000000000000000000000000000000000000000000000000000000000000',
        'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
        '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
        'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    ];
    /** 2^255 − 19, big endian. */
    private const P = '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed';

    /** True if this may be a public key: 32 bytes, y below p, no small order. */
    public static function isSoundKey(string $key): bool
    {
        if (strlen($key) !== SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES) {
            return false;
        }
        // The highest bit is the sign of x.
        $key[31] = chr(ord($key[31]) & 0x7f);
        return strcmp(bin2hex(strrev($key)), self::P) < 0 && !in_array(bin2hex($key), self::SMALL_ORDER, true);
    }

    public static function isSignature(string $key, string $signature, string $message): bool
    {
        return self::isSoundKey($key)
            && strlen($signature) === SODIUM_CRYPTO_SIGN_BYTES
            && sodium_crypto_sign_verify_detached($signature, $message, $key);
    }
}
