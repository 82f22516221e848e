<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The part of a bundle about revoked certificates: docs/evidence-format.md, section 7. @internal */
final class Revocation
{
    /** @var array<string, string> */
    private readonly array $pieces;
    /** @var array<string, true> names of those that concern a certificate in a chain here */
    private array $used = [];
    /** @var array<string, ?Standing> */
    private array $known = [];
    private bool $revokedLater = false;

    /** @param array<string, string> $files */
    public function __construct(array $files)
    {
        $named = static fn (string $name): bool => str_starts_with($name, 'revocation/');
        $this->pieces = array_filter($files, $named, ARRAY_FILTER_USE_KEY);
    }

    public function isEmpty(): bool
    {
        return $this->pieces === [];
    }

    /** A certificate was, after a renewal by others. */
    public function wasRevokedLater(): bool
    {
        return $this->revokedLater;
    }

    /**
     * None below the root was revoked then, nor later, unless for a harmless reason or after one of the
     * renewals; and, if the policy asks for it, each is shown to have been good.
     * @param list<Link> $renewals those after it that hold
     * @throws Refused
     */
    public function check(Link $stamp, bool $required, string $check, array $renewals = []): void
    {
        for ($below = 0; $below + 1 < count($stamp->chain); $below++) {
            $certificate = $stamp->chain[$below];
            $good = $this->wasGood($certificate, $stamp->chain[$below + 1], $stamp->time);
            Form::need($good !== false, $check, 'a certificate was revoked when it stamped');
            Form::need($good !== null || !$required, $check, 'nothing shows that a certificate was good');
            if ($good instanceof \DateTimeImmutable) {
                $covers = static fn (Link $each): bool => $each->coversBefore($good, $certificate);
                $isCovered = array_filter($renewals, $covers) !== [];
                Form::need($isCovered, $check, 'a certificate was revoked later, and no renewal by others came before');
                $this->revokedLater = true;
            }
        }
    }

    /** Each piece concerns a certificate in a chain here. @throws Refused */
    public function checkNothingIdle(): void
    {
        $idle = array_key_first(array_diff_key($this->pieces, $this->used));
        Form::need($idle === null, 'revocation', "$idle speaks of no certificate here, or cannot be read");
    }

    /** The worst that any piece says. */
    private function wasGood(
        Certificate $certificate,
        Certificate $issuer,
        \DateTimeImmutable $moment,
    ): bool|\DateTimeImmutable|null {
        [$good, $later] = [null, []];
        foreach ($this->pieces as $name => $bytes) {
            $key = "$name " . hash('sha256', $certificate->der . $issuer->der);
            if (!array_key_exists($key, $this->known)) {
                $this->known[$key] = self::standing($name, $bytes, $certificate, $issuer);
            }
            $standing = $this->known[$key];
            if ($standing === null) {
                continue;
            }
            $this->used[$name] = true;
            $said = $standing->at($moment);
            if ($said === false) {
                return false;
            }
            if ($said instanceof \DateTimeImmutable) {
                $later[] = $said;
            } else {
                $good = $said ?? $good;
            }
        }
        return $later === [] ? $good : min($later);
    }

    private static function standing(
        string $name,
        string $bytes,
        Certificate $certificate,
        Certificate $issuer,
    ): ?Standing {
        try {
            return str_ends_with($name, '.crl')
                ? RevocationList::standing($bytes, $certificate, $issuer)
                : OcspAnswer::standing($bytes, $certificate, $issuer);
        } catch (DerProblem) {
            return null;
        }
    }
}
