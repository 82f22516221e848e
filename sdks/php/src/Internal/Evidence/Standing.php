<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** What a revocation list or an OCSP answer says of one certificate. @internal */
final readonly class Standing
{
    /** @param bool $known false: the responder does not know the certificate */
    public function __construct(
        public ?\DateTimeImmutable $revoked,
        private \DateTimeImmutable $thisUpdate,
        private ?\DateTimeImmutable $nextUpdate,
        private bool $known = true,
    ) {
    }

    /** True: it was good then. False: it was revoked. Null: this says nothing of that time. */
    public function at(\DateTimeImmutable $moment): ?bool
    {
        if ($this->revoked !== null && $this->revoked <= $moment) {
            return false;
        }
        // Such data has whole seconds.
        $second = $moment->setTimestamp($moment->getTimestamp());
        $covers = $this->thisUpdate >= $second || ($this->nextUpdate !== null && $this->nextUpdate >= $second);
        return $this->known && $covers ? true : null;
    }
}
