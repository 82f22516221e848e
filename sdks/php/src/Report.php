<?php

declare(strict_types=1);

namespace Acuse;

/** The outcome of a verification. */
final readonly class Report implements \JsonSerializable
{
    /** All holds and is whole, under keys of yours. */
    public const VERIFIED = 'verified';
    /** It holds together, and nobody whom you trust vouches for it. */
    public const UNPROVEN = 'unproven';
    /** Genuine, and not the whole, or not checked in whole: `acuse verify` checks everything. */
    public const INCOMPLETE = 'incomplete';
    /** A check failed. */
    public const REJECTED = 'rejected';

    /**
     * @internal
     * @param bool $valid everything was checked and holds, whoever vouches and whatever is left out
     * @param string $verdict verified, unproven, incomplete or rejected
     * @param list<Remark> $reasons why it is not verified; of rejected, the check that failed
     * @param list<Remark> $warnings what is odd and breaks nothing
     * @param string $trust pinned or bundle: whose policy it was
     * @param string|null $sealedAt the constancia's time, if all checks before it hold
     * @param bool $development stamped by a development authority: it is not a NOM-151 constancia
     * @param list<Check> $checks in their order, up to the first that failed
     * @param Copy|null $copy of the message as it was received, if one was given
     */
    public function __construct(
        public bool $valid,
        public string $verdict,
        public array $reasons,
        public array $warnings,
        public string $trust,
        public ?string $sealedAt,
        public bool $development,
        public array $checks,
        public ?Copy $copy = null,
    ) {
    }

    /** @return array<string, mixed> names as in all languages */
    public function jsonSerialize(): array
    {
        return [
            'valid' => $this->valid,
            'verdict' => $this->verdict,
            'reasons' => $this->reasons,
            'warnings' => $this->warnings,
            'trust' => $this->trust,
            'sealed_at' => $this->sealedAt,
            'development' => $this->development,
            'checks' => $this->checks,
            'copy' => $this->copy,
        ];
    }
}
