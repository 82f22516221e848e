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

    private function __construct(public string $oid, public ?Der $parameters)
    {
    }

    /** @throws DerProblem */
    public static function of(Der $element): self
    {
        $parts = $element->sequence(1, 2);
        return new self($parts[0]->oid(), $parts[1] ?? null);
    }

    /** Of SHA-2; null for every other. */
    public function hash(): ?string
    {
        return self::HASHES[$this->oid] ?? null;
    }
}
