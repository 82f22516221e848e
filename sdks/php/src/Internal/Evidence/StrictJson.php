<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/**
 * JSON that reads one way: UTF-8, each key once, whole numbers alone. Objects are stdClass, lists are arrays.
 * docs/evidence-format.md, Conventions
 * @internal
 */
final class StrictJson
{
    private const MAX_NESTING = 32;
    private const MAX_INTEGER = 2 ** 53 - 1;
    private const MAX_DIGITS = 16;
    private const SPACE = " \t\r\n";
    private const FLAGS = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_UNESCAPED_LINE_TERMINATORS;

    private int $at = 0;

    private function __construct(private readonly string $text, private readonly string $check)
    {
    }

    /** @throws Refused */
    public static function read(string $bytes, string $check): mixed
    {
        if (!mb_check_encoding($bytes, 'UTF-8')) {
            throw new Refused($check, 'not UTF-8');
        }
        $reader = new self($bytes, $check);
        $value = $reader->value(1);
        $reader->skip();
        if ($reader->at !== strlen($bytes)) {
            throw $reader->not('JSON: something follows it');
        }
        return $value;
    }

    /**
     * Reads bytes that must be the canonical form of their own value.
     * @throws Refused
     */
    public static function readCanonical(string $bytes, string $check): mixed
    {
        $value = self::read($bytes, $check);
        Form::need(self::canonical($value) === $bytes, $check, 'not canonical JSON');
        return $value;
    }

    /** RFC 8785 §3, of what these documents hold: text, whole numbers, booleans, null. */
    public static function canonical(mixed $value): string
    {
        if ($value instanceof \stdClass) {
            $fields = get_object_vars($value);
            // By UTF-16 code units. RFC 8785 §3.2.3
            uksort($fields, static fn (string|int $a, string|int $b): int => strcmp(
                mb_convert_encoding((string) $a, 'UTF-16BE', 'UTF-8'),
                mb_convert_encoding((string) $b, 'UTF-16BE', 'UTF-8'),
            ));
            $written = [];
            foreach ($fields as $name => $each) {
                $written[] = json_encode((string) $name, self::FLAGS) . ':' . self::canonical($each);
            }
            return '{' . implode(',', $written) . '}';
        }
        return is_array($value)
            ? '[' . implode(',', array_map(self::canonical(...), $value)) . ']'
            : json_encode($value, self::FLAGS);
    }

    private function value(int $depth): mixed
    {
        if ($depth > self::MAX_NESTING) {
            throw $this->not('JSON of this nesting');
        }
        $this->skip();
        $first = $this->text[$this->at] ?? '';
        return match (true) {
            $first === '{' => $this->object($depth),
            $first === '[' => $this->items($depth),
            $first === '"' => $this->string(),
            default => $this->plain(),
        };
    }

    private function object(int $depth): \stdClass
    {
        $found = [];
        $this->at++;
        for ($more = !$this->take('}'); $more; $more = $this->goesOn('}')) {
            $this->skip();
            if (($this->text[$this->at] ?? '') !== '"') {
                throw $this->not('JSON: a key is missing');
            }
            $name = $this->string();
            if (array_key_exists($name, $found) || !$this->take(':')) {
                throw $this->not('JSON that reads one way');
            }
            $found[$name] = $this->value($depth + 1);
        }
        return (object) $found;
    }

    private function items(int $depth): array
    {
        $found = [];
        $this->at++;
        for ($more = !$this->take(']'); $more; $more = $this->goesOn(']')) {
            $found[] = $this->value($depth + 1);
        }
        return $found;
    }

    /** True if another follows; else this must end. */
    private function goesOn(string $end): bool
    {
        if ($this->take(',')) {
            return true;
        }
        return $this->take($end) ? false : throw $this->not('JSON: a comma or an end is missing');
    }

    private function string(): string
    {
        $start = $this->at++;
        $this->at += strcspn($this->text, '"\\', $this->at);
        while (($this->text[$this->at] ?? '') === '\\') {
            $this->at += 2;
            $this->at += strcspn($this->text, '"\\', min($this->at, strlen($this->text)));
        }
        $this->at++;
        try {
            // Escapes, controls and half characters are judged there.
            return json_decode(substr($this->text, $start, $this->at - $start), false, 1, JSON_THROW_ON_ERROR);
        } catch (\JsonException) {
            throw $this->not('JSON: a text cannot be read');
        }
    }

    private function plain(): int|bool|null
    {
        $word = substr($this->text, $this->at, strcspn($this->text, self::SPACE . ',]}', $this->at));
        $this->at += strlen($word);
        if (in_array($word, ['true', 'false', 'null'], true)) {
            return ['true' => true, 'false' => false, 'null' => null][$word];
        }
        $whole = preg_match('/\A(?:0|-?[1-9][0-9]*)\z/', $word) === 1 && strlen($word) <= 1 + self::MAX_DIGITS;
        if (!$whole || abs((int) $word) > self::MAX_INTEGER) {
            throw $this->not('JSON of text, whole numbers, true, false and null');
        }
        return (int) $word;
    }

    private function take(string $mark): bool
    {
        $this->skip();
        $is = ($this->text[$this->at] ?? '') === $mark;
        $this->at += $is ? 1 : 0;
        return $is;
    }

    private function skip(): void
    {
        $this->at += strspn($this->text, self::SPACE, min($this->at, strlen($this->text)));
    }

    private function not(string $what): Refused
    {
        return new Refused($this->check, "not $what");
    }
}
