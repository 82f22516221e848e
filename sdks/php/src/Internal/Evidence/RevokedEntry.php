<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The statement about one revocation. RFC 5280 §5.3, RFC 6960 §4.4.5 @internal */
final readonly class RevokedEntry
{
    /**
     * Reasons by which a certificate was good until then: unspecified, affiliationChanged, superseded,
     * cessationOfOperation. After any other, and after none, nobody knows since when it was not.
     */
    public const GOOD_BEFORE = [0, 3, 4, 5];
    private const REASON_CODE = '2.5.29.21';
    private const INVALIDITY_DATE = '2.5.29.24';
    private const ENUMERATED = 0x0a;

    /**
     * @param \DateTimeImmutable $since the earlier of revocation and invalidity date
     * @param bool $isUnderstood no critical extension is unknown
     */
    private function __construct(
        public \DateTimeImmutable $since,
        public ?int $reason,
        public bool $isUnderstood,
    ) {
    }

    /** @throws DerProblem */
    public static function read(\DateTimeImmutable $time, ?Der $extensions): self
    {
        [$reason, $isUnderstood] = [null, true];
        foreach (self::extensions($extensions) as $name => [$critical, $value]) {
            if ($name === self::REASON_CODE) {
                $reason = self::reason(Der::only($value));
            } elseif ($name === self::INVALIDITY_DATE) {
                $time = min($time, Der::only($value)->of(Der::GENERALIZED_TIME)->time());
            } else {
                $isUnderstood = $isUnderstood && !$critical;
            }
        }
        return new self($time, $reason, $isUnderstood);
    }

    /** Null: unknown. @throws DerProblem */
    public static function reason(Der $element): ?int
    {
        $content = $element->of(self::ENUMERATED)->content;
        return strlen($content) === 1 ? ord($content) : null;
    }

    /**
     * By their OID: critical or not, and the value. RFC 5280 §4.2
     * @return array<string, array{bool, string}>
     * @throws DerProblem
     */
    public static function extensions(?Der $element): array
    {
        $found = [];
        foreach ($element?->sequence() ?? [] as $extension) {
            $parts = $extension->sequence(2, 3);
            $name = $parts[0]->oid();
            if (isset($found[$name])) {
                throw new DerProblem('an extension twice');
            }
            $critical = count($parts) === 3 && $parts[1]->boolean();
            $found[$name] = [$critical, end($parts)->of(Der::OCTETS)->content];
        }
        return $found;
    }
}
