<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A text with signature lines (C2SP signed-note): docs/evidence-format.md, section 6. @internal */
final readonly class Note
{
    private const MAX_BYTES = 256 * 1_024;
    private const MAX_SIGNATURES = 100;
    private const MAX_NAME_BYTES = 255;
    private const NAME = '/\A[^\pZ+\x00-\x1f\x{7f}-\x{9f}]+\z/u';
    private const CONTROLS = '/[\x00-\x09\x0b-\x1f]/';
    private const LINE = '/\A— ([^ ]+) ([^ ]+)\z/';
    private const COSIGNATURE_BYTES = 72;
    private const SECOND_BYTES = 8 + 2_420;
    private const MAX_TIME = 2 ** 53;

    /** @param list<array{string, string}> $signatures name, and key id with signature */
    private function __construct(public string $text, private array $signatures)
    {
    }

    /** @throws NoteProblem */
    public static function parse(string $bytes): self
    {
        if (strlen($bytes) > self::MAX_BYTES) {
            throw new NoteProblem('too long');
        }
        if (!mb_check_encoding($bytes, 'UTF-8') || preg_match(self::CONTROLS, $bytes) === 1) {
            throw new NoteProblem('not UTF-8, or control characters');
        }
        $end = strrpos($bytes, "\n\n");
        $lines = $end === false ? '' : substr($bytes, $end + 2);
        if (!str_ends_with($lines, "\n")) {
            throw new NoteProblem('not a signed note');
        }
        $each = explode("\n", substr($lines, 0, -1));
        if (count($each) > self::MAX_SIGNATURES) {
            throw new NoteProblem('too many signatures');
        }
        return new self(substr($bytes, 0, $end + 1), array_map(self::signature(...), $each));
    }

    /** True if a key or a log may have this name. */
    public static function isName(string $text): bool
    {
        return strlen($text) <= self::MAX_NAME_BYTES && preg_match(self::NAME, $text) === 1;
    }

    /** RFC 4648 §4, in its one spelling. @throws NoteProblem */
    public static function unbase64(string $text): string
    {
        $bytes = base64_decode($text, true);
        if ($bytes === false || base64_encode($bytes) !== $text) {
            throw new NoteProblem('not base64 in its one spelling');
        }
        return $bytes;
    }

    /**
     * Those of the keys that signed, each once.
     * @param list<VerifierKey> $keys
     * @return list<VerifierKey>
     * @throws NoteProblem one signed falsely or twice
     */
    public function signers(array $keys, int $kind): array
    {
        return array_column($this->signed($keys, $kind), 0);
    }

    /**
     * The same of witnesses, each with the time that it states, in Unix seconds.
     * @param list<VerifierKey> $keys
     * @return list<array{VerifierKey, int}>
     * @throws NoteProblem
     */
    public function cosigners(array $keys): array
    {
        return $this->signed($keys, VerifierKey::WITNESS);
    }

    /**
     * When the second key of a log signed, in Unix seconds: once, a text of three lines. The signature itself is
     * not checked: not every OpenSSL that PHP runs on has ML-DSA-44.
     * @throws NoteProblem
     */
    public function secondSigned(VerifierKey $key): int
    {
        $own = $this->signaturesOf($key);
        if (count($own) !== 1 || strlen($own[0]) !== self::SECOND_BYTES) {
            throw new NoteProblem("not signed once by the ML-DSA-44 key of $key->name");
        }
        if (substr_count($this->text, "\n") !== 3) {
            throw new NoteProblem('extension lines, which ML-DSA-44 signatures do not cover');
        }
        $time = unpack('J', $own[0])[1];
        if ($time < 0 || $time >= self::MAX_TIME) {
            throw new NoteProblem('an ML-DSA-44 signature without a time');
        }
        return $time;
    }

    /**
     * @param list<VerifierKey> $keys
     * @return list<array{VerifierKey, int}>
     */
    private function signed(array $keys, int $kind): array
    {
        $found = [];
        foreach ($keys as $key) {
            $own = $key->kind === $kind ? $this->signaturesOf($key) : [];
            if (count($own) > 1) {
                throw new NoteProblem("$key->name signed twice");
            }
            foreach ($own as $signature) {
                [$text, $time] = [$this->text, 0];
                if ($kind === VerifierKey::WITNESS) {
                    $time = self::timeOf($key, $signature);
                    [$text, $signature] = ["cosignature/v1\ntime $time\n$text", substr($signature, 8)];
                }
                if (!Ed25519::isSignature($key->key, $signature, $text)) {
                    throw new NoteProblem("the signature of $key->name does not verify");
                }
                $found[] = [$key, $time];
            }
        }
        return $found;
    }

    /** @return list<string> */
    private function signaturesOf(VerifierKey $key): array
    {
        $own = array_filter(
            $this->signatures,
            static fn (array $each): bool => $each[0] === $key->name && str_starts_with($each[1], $key->id),
        );
        return array_map(static fn (array $each): string => substr($each[1], 4), array_values($own));
    }

    /** C2SP tlog-cosignature. */
    private static function timeOf(VerifierKey $key, string $signature): int
    {
        $time = strlen($signature) === self::COSIGNATURE_BYTES ? unpack('J', $signature)[1] : -1;
        if ($time < 0 || $time >= self::MAX_TIME) {
            throw new NoteProblem("the cosignature of $key->name has another length, or no time");
        }
        return $time;
    }

    /** @return array{string, string} */
    private static function signature(string $line): array
    {
        if (preg_match(self::LINE, $line, $found) !== 1 || !self::isName($found[1])) {
            throw new NoteProblem('not a signature line');
        }
        $bytes = self::unbase64($found[2]);
        if (strlen($bytes) <= 4) {
            throw new NoteProblem('a signature that is too short');
        }
        return [$found[1], $bytes];
    }
}
