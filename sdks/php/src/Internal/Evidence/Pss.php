<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** EMSA-PSS, which PHP's openssl does not offer before 8.5. RFC 8017 §9.1.2 @internal */
final class Pss
{
    private const TRAILER = "\xbc";

    /**
     * True if these bytes encode the data.
     * @param int $bits of the encoded message: one less than the modulus has
     */
    public static function encodes(string $encoded, int $bits, string $hash, int $saltBytes, string $data): bool
    {
        $digest = hash($hash, $data, true);
        $length = intdiv($bits + 7, 8);
        // A modulus of 8n + 1 bits has a byte more.
        $lead = strlen($encoded) - $length;
        if ($lead < 0 || $lead > 1 || ($lead === 1 && $encoded[0] !== "\0")) {
            return false;
        }
        $encoded = substr($encoded, $lead);
        $maskedBytes = $length - strlen($digest) - 1;
        if ($saltBytes < 0 || $maskedBytes < $saltBytes + 1 || !str_ends_with($encoded, self::TRAILER)) {
            return false;
        }
        $masked = substr($encoded, 0, $maskedBytes);
        $seed = substr($encoded, $maskedBytes, strlen($digest));
        $unused = 8 * $length - $bits;
        if (ord($masked[0]) >> 8 - $unused !== 0) {
            return false;
        }
        $block = $masked ^ self::mask($seed, $maskedBytes, $hash);
        $block[0] = chr(ord($block[0]) & 0xff >> $unused);
        $zeros = $maskedBytes - $saltBytes - 1;
        if (substr($block, 0, $zeros + 1) !== str_repeat("\0", $zeros) . "\1") {
            return false;
        }
        $salt = substr($block, $zeros + 1);
        return hash_equals(hash($hash, str_repeat("\0", 8) . $digest . $salt, true), $seed);
    }

    /** MGF1. RFC 8017 §B.2.1 */
    private static function mask(string $seed, int $bytes, string $hash): string
    {
        $mask = '';
        for ($counter = 0; strlen($mask) < $bytes; $counter++) {
            $mask .= hash($hash, $seed . pack('N', $counter), true);
        }
        return substr($mask, 0, $bytes);
    }
}
