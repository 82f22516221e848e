<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** An X.509 certificate, as far as a time-stamp needs it. RFC 5280 §4.1 @internal */
final readonly class Certificate
{
    /** Bits of the key usage. RFC 5280 §4.2.1.3 */
    public const SIGNS = 0;
    public const COMMITS = 1;
    public const SIGNS_CERTIFICATES = 5;
    public const SIGNS_LISTS = 6;
    /** That nobody may stand below it. */
    public const NOT_AN_AUTHORITY = -1;
    private const SUBJECT_KEY_ID = '2.5.29.14';
    private const KEY_USAGE = '2.5.29.15';
    private const BASIC_CONSTRAINTS = '2.5.29.19';
    private const POLICIES = '2.5.29.32';
    private const EXTENDED_KEY_USAGE = '2.5.29.37';
    private const UNDERSTOOD = [
        self::SUBJECT_KEY_ID, self::KEY_USAGE, self::BASIC_CONSTRAINTS, self::POLICIES, self::EXTENDED_KEY_USAGE,
    ];
    /** Name constraints, policy mappings and policy constraints limit what is below, critical or not. */
    private const LIMITING = ['2.5.29.30', '2.5.29.33', '2.5.29.36'];
    private const VERSION_3 = 2;
    private const MAX_CHAIN = 16;
    private const BLOCK = '~\G-----BEGIN CERTIFICATE-----\n((?:[A-Za-z0-9+/=]{64}\n)*[A-Za-z0-9+/=]{1,64}\n)'
        . '-----END CERTIFICATE-----\n~';
    private const LOOSE_BLOCK = '~-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----~';

    /**
     * @param string $signed what its signature covers
     * @param string $key SubjectPublicKeyInfo
     * @param array<string, array{bool, string}> $extensions critical, and value
     */
    private function __construct(
        public string $der,
        public string $signed,
        public Algorithm $algorithm,
        public string $signature,
        public string $serial,
        public string $issuer,
        public string $subject,
        public \DateTimeImmutable $begins,
        public \DateTimeImmutable $ends,
        public string $key,
        private array $extensions,
    ) {
    }

    /** @throws DerProblem */
    public static function read(string $der): self
    {
        [$body, $algorithm, $signature] = Der::only($der)->sequence(3, 3);
        $fields = $body->sequence(7);
        if ($fields[0]->tag !== 0xa0 || $fields[0]->inner()->small() !== self::VERSION_3) {
            throw new DerProblem('not a certificate of version 3');
        }
        [, $serial, $inner, $issuer, $validity, $subject, $key] = $fields;
        if ($inner->whole !== $algorithm->whole) {
            throw new DerProblem('two algorithms for one signature');
        }
        [$begins, $ends] = $validity->sequence(2, 2);
        return new self(
            $der,
            $body->whole,
            Algorithm::of($algorithm),
            $signature->octetsOfBits(),
            $serial->of(Der::INTEGER)->content,
            $issuer->whole,
            $subject->whole,
            $begins->time(),
            $ends->time(),
            $key->whole,
            self::extensionsOf(array_slice($fields, 7)),
        );
    }

    /**
     * Reads a chain of a bundle: lines of 64 characters, nothing between or around the blocks.
     * @return list<self>
     * @throws DerProblem
     */
    public static function chain(string $pem): array
    {
        $found = [];
        for ($at = 0; $at < strlen($pem); $at += strlen($block[0])) {
            if (preg_match(self::BLOCK, $pem, $block, 0, $at) !== 1 || count($found) === self::MAX_CHAIN) {
                throw new DerProblem('not a chain of certificates, or bytes beside it');
            }
            $der = (string) base64_decode($block[1], true);
            if (chunk_split(base64_encode($der), 64, "\n") !== $block[1]) {
                throw new DerProblem('a certificate that is written in another way');
            }
            $found[] = self::read($der);
        }
        return $found;
    }

    /**
     * The DER of the roots of a policy, where white space around the blocks does no harm.
     * @return list<string>
     */
    public static function roots(string $pem): array
    {
        preg_match_all(self::LOOSE_BLOCK, $pem, $blocks);
        return array_map(static fn (string $block): string => (string) base64_decode($block), $blocks[1]);
    }

    /** True if the key usage allows one of these; one that is absent allows all. @throws DerProblem */
    public function may(int ...$bits): bool
    {
        if (!$this->limitsUse()) {
            return true;
        }
        $usage = substr(Der::only($this->extensions[self::KEY_USAGE][1])->of(Der::BITS)->content, 1);
        foreach ($bits as $bit) {
            if ((ord($usage[$bit >> 3] ?? "\0") & 0x80 >> ($bit & 7)) !== 0) {
                return true;
            }
        }
        return false;
    }

    public function limitsUse(): bool
    {
        return isset($this->extensions[self::KEY_USAGE]);
    }

    /**
     * Whether the extended key usage is critical, and what it allows.
     * @return array{bool, list<string>}
     * @throws DerProblem
     */
    public function purposes(): array
    {
        [$critical, $value] = $this->extensions[self::EXTENDED_KEY_USAGE] ?? [false, ''];
        $named = $value === '' ? [] : Der::only($value)->sequence();
        return [$critical, array_map(static fn (Der $each): string => $each->oid(), $named)];
    }

    /** How many authorities may stand below it; null for any number. @throws DerProblem */
    public function pathLimit(): ?int
    {
        $value = $this->extensions[self::BASIC_CONSTRAINTS][1] ?? null;
        $parts = $value === null ? [] : Der::only($value)->sequence(0, 2);
        if ($parts === [] || $parts[0]->tag !== Der::BOOLEAN || !$parts[0]->boolean()) {
            return self::NOT_AN_AUTHORITY;
        }
        return isset($parts[1]) ? $parts[1]->small() : null;
    }

    /** An extension that must be understood, and is not. */
    public function hasUnknownCritical(): bool
    {
        foreach ($this->extensions as $oid => [$critical]) {
            $isUnread = $critical && !in_array($oid, self::UNDERSTOOD, true);
            if ($isUnread || in_array($oid, self::LIMITING, true)) {
                return true;
            }
        }
        return false;
    }

    /** @throws DerProblem */
    public function keyId(): ?string
    {
        $value = $this->extensions[self::SUBJECT_KEY_ID][1] ?? null;
        return $value === null ? null : Der::only($value)->of(Der::OCTETS)->content;
    }

    /** @param list<Der> $fields */
    private static function extensionsOf(array $fields): array
    {
        $found = [];
        foreach ($fields as $field) {
            foreach ($field->tag === 0xa3 ? $field->inner()->sequence() : [] as $extension) {
                $parts = $extension->sequence(2, 3);
                $oid = $parts[0]->oid();
                if (isset($found[$oid])) {
                    throw new DerProblem('an extension twice');
                }
                $critical = count($parts) === 3 && $parts[1]->boolean();
                $found[$oid] = [$critical, end($parts)->of(Der::OCTETS)->content];
            }
        }
        return $found;
    }
}
