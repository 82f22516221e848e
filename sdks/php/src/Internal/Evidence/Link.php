<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** A time-stamp that holds, and its chain. @internal */
final readonly class Link
{
    /** @param list<Certificate> $chain signer first */
    public function __construct(public \DateTimeImmutable $time, public array $chain)
    {
    }

    /** By then it was there, and by other keys than that of the certificate. */
    public function coversBefore(\DateTimeImmutable $moment, Certificate $certificate): bool
    {
        return $this->time < $moment && !in_array($certificate->key, array_column($this->chain, 'key'), true);
    }
}
