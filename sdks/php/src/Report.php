<?php

declare(strict_types=1);

namespace Acuse;

/** What came of a verification. */
final readonly class Report implements \JsonSerializable
{
    public const VALID = 'valid';
    public const INVALID = 'invalid';
    /** Nothing is wrong, and something was not checked: `acuse verify` checks everything. */
    public const INCOMPLETE = 'incomplete';

    /**
     * @internal
     * @param string $verdict valid, invalid or incomplete
     * @param string $trust pinned or bundle: whose policy it was
     * @param string|null $sealedAt the constancia's time, if all checks before it hold
     * @param bool $development stamped by a development authority: it is not a NOM-151 constancia
     * @param list<Check> $checks in their order, up to the first that failed
     * @param Copy|null $copy of the message as it was received, if one was given
     */
    public function __construct(
        public string $verdict,
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
            'verdict' => $this->verdict,
            'trust' => $this->trust,
            'sealed_at' => $this->sealedAt,
            'development' => $this->development,
            'checks' => $this->checks,
            'copy' => $this->copy,
        ];
    }
}
