<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The statement of a revocation list or an OCSP answer about one certificate. @internal */
final readonly class Standing
{
    /**
     * @param ?\DateTimeImmutable $revoked the earlier of revocation and invalidity date
     * @param bool $isHarmless it was good until then
     * @param bool $known false: the responder does not know the certificate, or not all of the list is understood
     */
    public function __construct(
        private ?\DateTimeImmutable $revoked,
        private bool $isHarmless,
        private \DateTimeImmutable $thisUpdate,
        private ?\DateTimeImmutable $nextUpdate,
        private bool $known = true,
    ) {
    }

    /**
     * True: it was good then. False: it was revoked. A time: it was revoked then, which leaves open since when
     * it was not good. Null: this says nothing of that time.
     */
    public function at(\DateTimeImmutable $moment): bool|\DateTimeImmutable|null
    {
        if ($this->revoked !== null && $this->revoked <= $moment) {
            return false;
        }
        if ($this->revoked !== null && !$this->isHarmless) {
            return $this->revoked;
        }
        // Such data has whole seconds.
        $second = $moment->setTimestamp($moment->getTimestamp());
        $covers = $this->thisUpdate >= $second || ($this->nextUpdate !== null && $this->nextUpdate >= $second);
        return $this->known && $covers ? true : null;
    }
}
