<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** An AlgorithmIdentifier. RFC 5280 §4.1.1.2 @internal */
final readonly class Algorithm
{
    public const HASHES = [
        '2.16.840.1.101.3.4.2.1' => 'sha256',
        '2.16.840.1.101.3.4.2.2' => 'sha384',
        '2.16.840.1.101.3.4.2.3' => 'sha512',
    ];

    /** NULL, which says the same as nothing. */
    private const NONE = "\5\0";
    /** RSA-PSS, MGF1, and keys on named curves. */
    private const WITH_PARAMETERS = ['1.2.840.113549.1.1.10', '1.2.840.113549.1.1.8', '1.2.840.10045.2.1'];

    private function __construct(public string $oid, public ?Der $parameters)
    {
    }

    /** @throws DerProblem */
    public static function of(Der $element): self
    {
        $parts = $element->sequence(1, 2);
        $oid = $parts[0]->oid();
        $parameters = $parts[1] ?? null;
        if ($parameters?->whole === self::NONE) {
            $parameters = null;
        }
        if ($parameters !== null && !in_array($oid, self::WITH_PARAMETERS, true)) {
            throw new DerProblem('an algorithm with parameters');
        }
        return new self($oid, $parameters);
    }

    /** The name of a SHA-2 hash; null for every other algorithm. */
    public function hash(): ?string
    {
        return self::HASHES[$this->oid] ?? null;
    }
}
