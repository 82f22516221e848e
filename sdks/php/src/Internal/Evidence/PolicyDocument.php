<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A policy of type acuse/policy/v1, read: docs/evidence-format.md, section 8. @internal */
final readonly class PolicyDocument
{
    private const MAX_PINNED = 16;
    private const MAX_OF_AUTHORITY = 32;
    private const CHECK = 'trust';
    private const OID = '/\A[0-2](?:\.(?:0|[1-9][0-9]*)){1,20}\z/';
    private const NAME = '/\A[^\x{00}-\x{1f}\x{7f}-\x{9f}]{1,200}\z/u';
    private const CERTIFICATE = '~-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----~';
    private const HASHES = ['sha256', 'sha384', 'sha512'];

    /**
     * @param list<PinnedKey> $logKeys
     * @param list<PinnedKey> $secondKeys the ML-DSA-44 keys of logs
     * @param list<array<string, mixed>> $authorities
     * @param list<PinnedKey> $witnessKeys
     * @param int $quorum operators of witnesses that must have cosigned
     */
    private function __construct(
        public array $logKeys,
        public array $secondKeys,
        public array $authorities,
        public array $witnessKeys,
        public int $quorum,
    ) {
    }

    /**
     * @param bool $own the bundle's own, which may say that fewer witnesses were reached
     * @throws Refused
     */
    public static function read(mixed $value, bool $own): self
    {
        $root = Form::fields(
            $value,
            self::CHECK,
            'log_keys time_stamps type witness_keys witness_quorum',
            'witness_reached',
        );
        self::need($root['type'] === 'acuse/policy/v1', 'another type');
        $listed = self::keys($root['log_keys'], VerifierKey::LOG, VerifierKey::SECOND);
        $isFirst = static fn (PinnedKey $each): bool => $each->key->kind === VerifierKey::LOG;
        $logs = array_values(array_filter($listed, $isFirst));
        $seconds = array_values(array_filter($listed, static fn (PinnedKey $each): bool => !$isFirst($each)));
        $witnesses = self::keys($root['witness_keys'], VerifierKey::WITNESS);
        self::checkWitnesses(array_column($witnesses, 'key'), array_column($logs, 'key'));
        $listed = Form::items($root['time_stamps'], self::CHECK, self::MAX_PINNED);
        $quorum = Form::whole($root['witness_quorum'], self::CHECK);
        $reached = array_key_exists('witness_reached', $root)
            ? Form::whole($root['witness_reached'], self::CHECK)
            : null;
        self::need($reached === null || $reached < $quorum, 'a quorum that was reached');
        $wanted = $own ? $reached ?? $quorum : $quorum;
        return new self($logs, $seconds, array_map(self::authority(...), $listed), $witnesses, $wanted);
    }

    /**
     * They are as many as they seem, and no log is its own.
     * @param list<VerifierKey> $witnesses
     * @param list<VerifierKey> $logs
     */
    private static function checkWitnesses(array $witnesses, array $logs): void
    {
        foreach (['key' => 'one key under two names', 'name' => 'one witness with two keys'] as $field => $detail) {
            $seen = array_column($witnesses, $field);
            self::need(count(array_unique($seen)) === count($witnesses), $detail);
        }
        $hosts = static fn (VerifierKey $each): string => $each->host();
        $keys = array_intersect(array_column($witnesses, 'key'), array_column($logs, 'key'));
        self::need($keys === [], 'a witness that has the key of a log');
        $same = array_intersect(array_map($hosts, $witnesses), array_map($hosts, $logs));
        self::need($same === [], 'a witness on the host of a log');
    }

    /**
     * A text alone is the form of older bundles: a key without a window.
     * @return list<PinnedKey>
     */
    private static function keys(mixed $value, int ...$kinds): array
    {
        return array_map(static function (mixed $each) use ($kinds): PinnedKey {
            $entry = is_string($each) ? (object) ['key' => $each] : $each;
            $found = Form::fields($entry, self::CHECK, 'key', 'from until');
            try {
                $key = VerifierKey::parse(Form::text($found['key'], self::CHECK));
            } catch (NoteProblem $problem) {
                throw new Refused(self::CHECK, "a key: {$problem->getMessage()}");
            }
            self::need(in_array($key->kind, $kinds, true), 'a key of another kind');
            return new PinnedKey($key, Window::read($found, self::CHECK));
        }, Form::items($value, self::CHECK, self::MAX_PINNED));
    }

    /** @return array<string, mixed> */
    private static function authority(mixed $value): array
    {
        $found = Form::fields(
            $value,
            self::CHECK,
            'profile name roots',
            'development leafEku policies hashAlgorithms nonce revocation from until',
        );
        self::need(!in_array(null, $found, true), 'a field is null');
        self::need(in_array($found['profile'], ['rfc3161', 'nom151'], true), 'another profile');
        Form::text($found['name'], self::CHECK, self::NAME);
        self::need($found['roots'] !== [], 'an authority pins no root');
        foreach (Form::items($found['roots'], self::CHECK, self::MAX_OF_AUTHORITY) as $root) {
            $isCertificate = preg_match(self::CERTIFICATE, Form::text($root, self::CHECK)) === 1;
            self::need($isCertificate, 'a root is no certificate');
        }
        foreach (['leafEku', 'policies'] as $name) {
            foreach (Form::items($found[$name] ?? [], self::CHECK, self::MAX_OF_AUTHORITY) as $oid) {
                Form::text($oid, self::CHECK, self::OID);
            }
        }
        foreach (Form::items($found['hashAlgorithms'] ?? [], self::CHECK, self::MAX_OF_AUTHORITY) as $name) {
            self::need(in_array($name, self::HASHES, true), 'another hash');
        }
        foreach (['development', 'nonce'] as $name) {
            self::need(is_bool($found[$name] ?? false), "$name is not true or false");
        }
        self::need(($found['revocation'] ?? 'required') === 'required', 'revocation says something else');
        Window::read($found, self::CHECK);
        return $found;
    }

    /**
     * The ML-DSA-44 keys of this name that must have signed too. At null, none: the time cannot be read, which is
     * refused anyway.
     * @return list<VerifierKey>
     */
    public function secondKeysAt(string $name, ?int $at): array
    {
        $keys = $at === null ? [] : PinnedKey::trustedAt($this->secondKeys, $at);
        return array_values(array_filter($keys, static fn (VerifierKey $each): bool => $each->name === $name));
    }

    /**
     * All of this name, whenever they are trusted.
     * @return list<VerifierKey>
     */
    public function secondKeysOf(string $name): array
    {
        $keys = array_column($this->secondKeys, 'key');
        return array_values(array_filter($keys, static fn (VerifierKey $each): bool => $each->name === $name));
    }

    private static function need(bool $condition, string $detail): void
    {
        Form::need($condition, self::CHECK, $detail);
    }
}
