<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A complete CRL of an issuer. RFC 5280 §5.1 @internal */
final readonly class RevocationList
{
    public const MAX_BYTES = 4 * 1_024 * 1_024;
    private const VERSION_2 = 1;
    private const TIMES = [Der::UTC_TIME, Der::GENERALIZED_TIME];
    private const EXTENSIONS = 0xa0;
    private const DISTRIBUTION_POINT = '2.5.29.28';
    private const DELTA_INDICATOR = '2.5.29.27';
    /** The only field of a distribution point that limits nothing. */
    private const POINT_NAME = 0xa0;

    /**
     * Its statement about a certificate; null if it is not about it, or its issuer does not vouch for it.
     * @throws DerProblem
     */
    public static function standing(string $bytes, Certificate $certificate, Certificate $issuer): ?Standing
    {
        if (strlen($bytes) > self::MAX_BYTES) {
            throw new DerProblem('a revocation list that is too large');
        }
        [$body, $algorithm, $signature] = Der::only($bytes)->sequence(3, 3);
        $fields = $body->sequence(3, 7);
        if ($fields[0]->tag === Der::INTEGER && array_shift($fields)->small() !== self::VERSION_2) {
            throw new DerProblem('a revocation list of another version');
        }
        [$inner, $name, $thisUpdate] = $fields + [2 => $body];
        if ($inner->whole !== $algorithm->whole) {
            throw new DerProblem('two algorithms for one signature');
        }
        $rest = array_slice($fields, 3);
        $next = in_array($rest[0]->tag ?? 0, self::TIMES, true) ? array_shift($rest)->time() : null;
        $entries = ($rest[0]->tag ?? 0) === Der::SEQUENCE ? array_shift($rest)->content : '';
        self::checkWhole($rest);
        $named = $name->of(Der::SEQUENCE)->whole === $certificate->issuer && $issuer->may(Certificate::SIGNS_LISTS);
        $signed = $named && PublicKey::signed(
            $issuer->key,
            Algorithm::of($algorithm),
            null,
            $body->whole,
            $signature->octetsOfBits(),
        );
        if (!$signed) {
            return null;
        }
        [$revoked, $isHarmless, $isUnderstood] = self::lookUp($entries, $certificate->serial);
        return new Standing($revoked, $isHarmless && $isUnderstood, $thisUpdate->time(), $next, $isUnderstood);
    }

    /**
     * It leaves no certificate out, and has nothing that must be understood and is not. RFC 5280 §5.2
     * @param list<Der> $rest what follows the entries
     * @throws DerProblem
     */
    private static function checkWhole(array $rest): void
    {
        if (count($rest) > 1) {
            throw new DerProblem('a revocation list of another form');
        }
        $extensions = $rest === [] ? null : $rest[0]->of(self::EXTENSIONS)->inner();
        foreach (RevokedEntry::extensions($extensions) as $name => [$critical, $value]) {
            $whole = !$critical && $name !== self::DELTA_INDICATOR;
            if ($name === self::DISTRIBUTION_POINT) {
                $limits = array_column(Der::only($value)->sequence(), 'tag');
                $whole = array_diff($limits, [self::POINT_NAME]) === [];
            }
            if (!$whole) {
                throw new DerProblem('a revocation list that is limited, or must be understood in another way');
            }
        }
    }

    /**
     * One entry after the other: a list may have a hundred thousand.
     * @return array{?\DateTimeImmutable, bool, bool} since when the certificate was revoked, if it was; whether
     *   it was good before; whether all entries are understood
     * @throws DerProblem
     */
    private static function lookUp(string $entries, string $serial): array
    {
        [$revoked, $isHarmless, $isUnderstood] = [null, true, true];
        for ($at = 0; $at < strlen($entries); $at += strlen($entry->whole)) {
            $entry = Der::read($entries, $at);
            $parts = $entry->sequence(2, 3);
            $isOwn = $parts[0]->integer() === $serial;
            if (!$isOwn && count($parts) === 2) {
                continue;
            }
            $said = RevokedEntry::read($parts[1]->time(), $parts[2] ?? null);
            $isUnderstood = $isUnderstood && $said->isUnderstood;
            if ($isOwn) {
                $isHarmless = $isHarmless && in_array($said->reason, RevokedEntry::GOOD_BEFORE, true);
                $revoked = min($revoked ?? $said->since, $said->since);
            }
        }
        return [$revoked, $isHarmless, $isUnderstood];
    }
}
