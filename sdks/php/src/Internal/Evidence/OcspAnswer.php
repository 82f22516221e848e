<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A responder's answer about certificates. RFC 6960 §4.2 @internal */
final readonly class OcspAnswer
{
    public const MAX_BYTES = 64 * 1_024;
    private const MAX_CERTIFICATES = 8;
    private const ENUMERATED = 0x0a;
    private const SUCCESSFUL = "\0";
    private const BASIC = '1.3.6.1.5.5.7.48.1.1';
    private const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
    /** SHA-1 picks a name here, and nothing rests on it. RFC 5019 §2.1.1 */
    private const HASHES = ['1.3.14.3.2.26' => 'sha1'] + Algorithm::HASHES;
    private const BY_NAME = 0xa1;
    private const BY_KEY = 0xa2;
    private const GOOD = 0x80;
    private const REVOKED = 0xa1;
    private const UNKNOWN = 0x82;

    /**
     * Its statement about a certificate; null if it is not about it, or its issuer does not vouch for it.
     * @throws DerProblem
     */
    public static function standing(string $bytes, Certificate $certificate, Certificate $issuer): ?Standing
    {
        if (strlen($bytes) > self::MAX_BYTES) {
            throw new DerProblem('an OCSP answer that is too large');
        }
        [$status, $wrapped] = Der::only($bytes)->sequence(2, 2);
        if ($status->of(self::ENUMERATED)->content !== self::SUCCESSFUL) {
            throw new DerProblem('an OCSP answer that refuses to tell');
        }
        [$kind, $octets] = $wrapped->of(0xa0)->inner()->sequence(2, 2);
        if ($kind->oid() !== self::BASIC) {
            throw new DerProblem('an OCSP answer of another kind');
        }
        $basic = Der::only($octets->of(Der::OCTETS)->content)->sequence(3, 4);
        $carried = isset($basic[3]) ? $basic[3]->of(0xa0)->inner()->sequence(0, self::MAX_CERTIFICATES) : [];
        [$produced, $answers] = self::read($basic[0]);
        $found = null;
        foreach ($answers as [$id, $standing]) {
            $found ??= self::isAbout($id, $certificate, $issuer) ? $standing : null;
        }
        return $found !== null && self::isVouchedFor($basic, $carried, $issuer, $produced) ? $found : null;
    }

    /**
     * When it was made, and what it says of each certificate.
     * @return array{\DateTimeImmutable, list<array{list<Der>, Standing}>}
     * @throws DerProblem
     */
    private static function read(Der $data): array
    {
        $fields = $data->sequence(3, 5);
        if ($fields[0]->tag === 0xa0) {
            array_shift($fields);
        }
        $sound = count($fields) >= 3 && in_array($fields[0]->tag, [self::BY_NAME, self::BY_KEY], true);
        if (!$sound || count($fields) > 4) {
            throw new DerProblem('an OCSP answer of another form');
        }
        self::refuseCritical($fields[3] ?? null);
        $answers = array_map(self::single(...), $fields[2]->sequence());
        return [$fields[1]->of(Der::GENERALIZED_TIME)->time(), $answers];
    }

    /** @return array{list<Der>, Standing} whom it is about, and what it says @throws DerProblem */
    private static function single(Der $answer): array
    {
        $fields = $answer->sequence(3, 5);
        [$id, $status, $thisUpdate] = $fields;
        $rest = array_slice($fields, 3);
        $next = ($rest[0]->tag ?? 0) === 0xa0 ? array_shift($rest)->inner()->of(Der::GENERALIZED_TIME)->time() : null;
        $extensions = array_shift($rest)?->of(0xa1)->inner();
        if ($rest !== [] || !in_array($status->tag, [self::GOOD, self::REVOKED, self::UNKNOWN], true)) {
            throw new DerProblem('an OCSP answer of another form');
        }
        $known = $status->tag !== self::UNKNOWN;
        $updated = $thisUpdate->of(Der::GENERALIZED_TIME)->time();
        [$revoked, $isHarmless] = self::revoked($status, $extensions) ?? [null, false];
        return [$id->sequence(4, 4), new Standing($revoked, $isHarmless, $updated, $next, $known)];
    }

    /**
     * Since when, and whether it was good until then; null unless it was revoked.
     * @return ?array{\DateTimeImmutable, bool}
     * @throws DerProblem
     */
    private static function revoked(Der $status, ?Der $extensions): ?array
    {
        $isRevoked = $status->tag === self::REVOKED;
        $parts = $isRevoked ? $status->children() : [];
        if ($isRevoked && (count($parts) < 1 || count($parts) > 2)) {
            throw new DerProblem('an OCSP answer of another form');
        }
        $time = $isRevoked ? $parts[0]->of(Der::GENERALIZED_TIME)->time() : new \DateTimeImmutable('@0');
        $said = RevokedEntry::read($time, $extensions);
        if (!$said->isUnderstood) {
            throw new DerProblem('an extension that must be understood');
        }
        $reason = isset($parts[1]) ? RevokedEntry::reason($parts[1]->of(0xa0)->inner()) : null;
        return $isRevoked ? [$said->since, in_array($reason, RevokedEntry::GOOD_BEFORE, true)] : null;
    }

    /** @throws DerProblem for an extension that must be understood */
    private static function refuseCritical(?Der $extensions): void
    {
        foreach (RevokedEntry::extensions($extensions?->of(0xa1)->inner()) as [$critical]) {
            if ($critical) {
                throw new DerProblem('an extension that must be understood');
            }
        }
    }

    /** @param list<Der> $id @throws DerProblem */
    private static function isAbout(array $id, Certificate $certificate, Certificate $issuer): bool
    {
        [$algorithm, $name, $key, $serial] = $id;
        $hash = self::HASHES[Algorithm::of($algorithm)->oid] ?? null;
        $number = $serial->integer();
        if ($hash === null || $number !== $certificate->serial) {
            return false;
        }
        [, $bits] = Der::only($issuer->key)->sequence(2, 2);
        return $name->of(Der::OCTETS)->content === hash($hash, $issuer->subject, true)
            && $key->of(Der::OCTETS)->content === hash($hash, $bits->octetsOfBits(), true);
    }

    /**
     * By the issuer, or by a responder that it certified for this, at that time. RFC 6960 §4.2.2.2
     * @param list<Der> $basic
     * @param list<Der> $carried certificates
     * @throws DerProblem
     */
    private static function isVouchedFor(
        array $basic,
        array $carried,
        Certificate $issuer,
        \DateTimeImmutable $produced,
    ): bool {
        [$data, $named, $bits] = $basic;
        $algorithm = Algorithm::of($named);
        $signature = $bits->octetsOfBits();
        $signed = static fn (Certificate $by): bool =>
            PublicKey::signed($by->key, $algorithm, null, $data->whole, $signature);
        if ($signed($issuer)) {
            return true;
        }
        foreach ($carried as $each) {
            try {
                $responder = Certificate::read($each->whole);
                if (self::mayRespond($responder, $issuer, $produced) && $signed($responder)) {
                    return true;
                }
            } catch (DerProblem) {
                // Another one may be the responder's.
            }
        }
        return false;
    }

    /** @throws DerProblem */
    private static function mayRespond(Certificate $responder, Certificate $issuer, \DateTimeImmutable $at): bool
    {
        return $responder->issuer === $issuer->subject
            && in_array(self::OCSP_SIGNING, $responder->purposes()[1], true)
            && !$responder->hasUnknownCritical()
            && $responder->begins <= $at && $at <= $responder->ends
            && PublicKey::signed(
                $issuer->key,
                $responder->algorithm,
                null,
                $responder->signed,
                $responder->signature,
            );
    }
}
