<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** An element of DER, which reads one way: definite lengths in their shortest form. X.690 @internal */
final readonly class Der
{
    public const BOOLEAN = 0x01;
    public const INTEGER = 0x02;
    public const BITS = 0x03;
    public const OCTETS = 0x04;
    public const OID = 0x06;
    public const UTC_TIME = 0x17;
    public const GENERALIZED_TIME = 0x18;
    public const SEQUENCE = 0x30;
    public const SET = 0x31;
    private const MAX_LENGTH_BYTES = 4;
    private const MAX_OID_BYTES = 64;
    private const MAX_FIRST_DIGITS = 9;
    private const LONG_TAG = 0x1f;

    private function __construct(
        public int $tag,
        public string $content,
        public string $whole,
    ) {
    }

    /** The element that begins there. @throws DerProblem */
    public static function read(string $bytes, int $start = 0): self
    {
        $tag = ord($bytes[$start] ?? "\xff");
        $length = ord($bytes[$start + 1] ?? "\x80");
        $at = $start + 2;
        if (($tag & self::LONG_TAG) === self::LONG_TAG || $length === 0x80) {
            throw new DerProblem('cut short, or a tag or length of another form');
        }
        if ($length > 0x7f) {
            $count = $length - 0x80;
            $digits = substr($bytes, $at, $count);
            $length = $count > self::MAX_LENGTH_BYTES ? 0 : (int) hexdec(bin2hex($digits));
            if (strlen($digits) !== $count || $length < 0x80 || $digits[0] === "\0") {
                throw new DerProblem('a length in another form');
            }
            $at += $count;
        }
        if ($at + $length > strlen($bytes)) {
            throw new DerProblem('cut short');
        }
        return new self($tag, substr($bytes, $at, $length), substr($bytes, $start, $at + $length - $start));
    }

    /** The only element in these bytes. @throws DerProblem */
    public static function only(string $bytes): self
    {
        $element = self::read($bytes);
        return $element->whole === $bytes ? $element : throw new DerProblem('bytes behind it');
    }

    /**
     * The elements in it.
     * @return list<self>
     * @throws DerProblem
     */
    public function children(): array
    {
        $found = [];
        for ($at = 0; $at < strlen($this->content); $at += strlen(end($found)->whole)) {
            $found[] = self::read($this->content, $at);
        }
        return $found;
    }

    /**
     * The elements of a SEQUENCE, at least so many.
     * @return list<self>
     * @throws DerProblem
     */
    public function sequence(int $least = 0, int $most = PHP_INT_MAX): array
    {
        $found = $this->of(self::SEQUENCE)->children();
        if (count($found) < $least || count($found) > $most) {
            throw new DerProblem('a sequence of another form');
        }
        return $found;
    }

    /** The only element in it. @throws DerProblem */
    public function inner(): self
    {
        return self::only($this->content);
    }

    /** Itself, if it has this tag. @throws DerProblem */
    public function of(int $tag): self
    {
        return $this->tag === $tag ? $this : throw new DerProblem("tag $this->tag, expected $tag");
    }

    /** @throws DerProblem */
    public function oid(): string
    {
        $bytes = $this->of(self::OID)->content;
        if ($bytes === '' || strlen($bytes) > self::MAX_OID_BYTES || ord($bytes[-1]) > 0x7f) {
            throw new DerProblem('not an OID');
        }
        $numbers = [];
        $digits = [];
        foreach (unpack('C*', $bytes) as $byte) {
            if ($digits === [] && $byte === 0x80) {
                throw new DerProblem('an OID with padding');
            }
            $digits[] = $byte & 0x7f;
            if ($byte < 0x80) {
                $numbers[] = self::decimal($digits);
                $digits = [];
            }
        }
        // The first number holds two, 40 · first + second (X.690 §8.19.4). A long one is never needed.
        if (strlen($numbers[0]) > self::MAX_FIRST_DIGITS) {
            throw new DerProblem('an OID that nobody has');
        }
        $first = min(intdiv((int) $numbers[0], 40), 2);
        $second = (int) $numbers[0] - 40 * $first;
        return implode('.', [$first, $second, ...array_slice($numbers, 1)]);
    }

    /** Decimal digits of a number in base 128, which may be a UUID and too large for an int. */
    private static function decimal(array $digits): string
    {
        $text = '0';
        foreach ($digits as $carry) {
            for ($at = strlen($text) - 1; $at >= 0; $at--) {
                $carry += 128 * (int) $text[$at];
                $text[$at] = (string) ($carry % 10);
                $carry = intdiv($carry, 10);
            }
            $text = ltrim("$carry$text", '0');
        }
        return $text === '' ? '0' : $text;
    }

    /** The bytes of a whole number in their shortest form. @throws DerProblem */
    public function integer(): string
    {
        $bytes = $this->of(self::INTEGER)->content;
        $padded = strlen($bytes) > 1 && ($bytes[0] === "\0" || $bytes[0] === "\xff")
            && ($bytes[0] === "\xff") === (ord($bytes[1]) > 0x7f);
        return $bytes === '' || $padded ? throw new DerProblem('not an INTEGER') : $bytes;
    }

    /** A whole number from 0 that is not large; -1 for every other. @throws DerProblem */
    public function small(): int
    {
        $bytes = $this->integer();
        return strlen($bytes) > 4 || ord($bytes[0]) > 0x7f ? -1 : (int) hexdec(bin2hex($bytes));
    }

    /** @throws DerProblem */
    public function boolean(): bool
    {
        return match ($this->of(self::BOOLEAN)->content) {
            "\0" => false,
            "\xff" => true,
            default => throw new DerProblem('not a BOOLEAN'),
        };
    }

    /** The octets of a bit string. @throws DerProblem */
    public function octetsOfBits(): string
    {
        $bits = $this->of(self::BITS)->content;
        return str_starts_with($bits, "\0") ? substr($bits, 1) : throw new DerProblem('bits that are not octets');
    }

    /** A UTCTime or GeneralizedTime (RFC 5280 §4.1.2.5, RFC 3161 §2.4.2). @throws DerProblem */
    public function time(): \DateTimeImmutable
    {
        $text = match ($this->tag) {
            self::UTC_TIME => (strcmp($this->content, '5') < 0 ? '20' : '19') . $this->content,
            self::GENERALIZED_TIME => $this->content,
            default => throw new DerProblem('not a time'),
        };
        $form = '/\A(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{0,8}[1-9]))?Z\z/';
        // A UTCTime has whole seconds.
        if (preg_match($form, $text, $found) !== 1 || ($this->tag === self::UTC_TIME && isset($found[7]))) {
            throw new DerProblem('not a time');
        }
        [, $year, $month, $day, $hour, $minute, $second] = array_map(intval(...), $found);
        if (!checkdate($month, $day, $year) || $hour > 23 || $minute > 59 || $second > 59) {
            throw new DerProblem('not a time');
        }
        $micros = (int) str_pad(substr($found[7] ?? '', 0, 6), 6, '0');
        return (new \DateTimeImmutable('@0'))->setDate($year, $month, $day)->setTime($hour, $minute, $second, $micros);
    }
}
