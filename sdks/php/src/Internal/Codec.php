<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\Errors\ConfigurationError;
use Acuse\Model;

/**
 * JSON of answers to models and back. A type is 'string', 'integer', 'number', 'boolean', 'null', 'json',
 * ['array', type], ['map', type], ['ref', name] or ['union', [types]]. JSON objects are read as stdClass, because an
 * empty array of PHP would not tell {} from [].
 * @internal
 */
final class Codec
{
    private const FLAGS = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_PRESERVE_ZERO_FRACTION;
    /** Levels of an answer. */
    private const MAX_DEPTH = 64;
    private const TEXT = '/"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"/s';
    private const LONG_NUMBER = '/[-+.0-9eE]{65}/';

    /** @throws Undecodable */
    public static function parse(string $text): mixed
    {
        try {
            $value = json_decode($text, false, self::MAX_DEPTH, JSON_THROW_ON_ERROR);
        } catch (\JsonException) {
            throw new Undecodable('its body is not JSON');
        }
        // Such a number would be INF, which cannot be written again.
        if (preg_match(self::LONG_NUMBER, preg_replace(self::TEXT, '""', $text) ?? $text) === 1) {
            throw new Undecodable('it has a number that is too long');
        }
        return $value;
    }

    /** The bytes of a request's body, made once for all attempts. */
    public static function write(array|string|null $type, #[\SensitiveParameter] mixed $value): string
    {
        try {
            return json_encode($type === null ? $value : self::encode($type, $value), self::FLAGS);
        } catch (\JsonException $e) {
            throw new ConfigurationError("The request cannot be written as JSON: {$e->getMessage()}.");
        }
    }

    /** @throws Undecodable */
    public static function decode(array|string $type, mixed $value, string $where): mixed
    {
        if (is_string($type)) {
            return self::scalar($type, $value, $where);
        }
        [$kind, $of] = $type;
        return match ($kind) {
            'ref' => self::reference($of, $value, $where),
            'array' => self::items($of, $value, $where),
            'map' => self::map($of, $value, $where),
            'union' => self::union($of, $value, $where),
        };
    }

    /** @throws Undecodable */
    public static function object(string $class, mixed $value, string $where): Model
    {
        if (!$value instanceof \stdClass) {
            throw new Undecodable("$where is not an object");
        }
        $extra = get_object_vars($value);
        $known = [];
        foreach ($class::FIELDS as $name => [$type, , $nullable, $essential]) {
            if (!array_key_exists($name, $extra)) {
                if ($essential) {
                    throw new Undecodable("$where.$name is missing");
                }
                continue;
            }
            $inner = $extra[$name];
            unset($extra[$name]);
            $known[$name] = $inner === null && $nullable ? null : self::decode($type, $inner, "$where.$name");
        }
        return new $class($known, $extra);
    }

    /** What json_encode writes for a value of this type: an empty array is {} where an object belongs. */
    public static function encode(array|string $type, #[\SensitiveParameter] mixed $value): mixed
    {
        $value = self::plain($value);
        if ($value === [] && self::isObject($type)) {
            return new \stdClass();
        }
        if (!is_array($value)) {
            return $value;
        }
        [$kind, $of] = is_array($type) ? $type : ['json', null];
        if ($kind === 'ref' && isset(Aliases::ALL[$of])) {
            return self::encode(Aliases::ALL[$of], $value);
        }
        if ($kind === 'union') {
            $type = self::alternative($of, $value);
            return self::encode($type, $value);
        }
        $found = [];
        foreach ($value as $name => $each) {
            $inner = match ($kind) {
                'array', 'map' => $of,
                'ref' => "Acuse\\Types\\$of"::FIELDS[$name][0] ?? 'json',
                default => 'json',
            };
            $found[$name] = self::encode($inner, $each);
        }
        return $kind === 'map' ? (object) $found : $found;
    }

    /** The type in a union that a list or an object belongs to. */
    private static function alternative(array $types, array $value): array|string
    {
        foreach ($types as $type) {
            if (is_array($type) && self::isObject($type) !== array_is_list($value)) {
                return $type;
            }
        }
        return 'json';
    }

    private static function isObject(array|string $type): bool
    {
        if (is_string($type)) {
            return false;
        }
        [$kind, $of] = $type;
        return match ($kind) {
            'map' => true,
            'ref' => !isset(Aliases::ALL[$of]) || self::isObject(Aliases::ALL[$of]),
            'union' => array_filter($of, static fn ($each) => is_array($each) && $each[0] === 'array') === []
                && array_filter($of, self::isObject(...)) !== [],
            default => false,
        };
    }

    /** A value as JSON and queries have it. */
    public static function plain(mixed $value): mixed
    {
        return match (true) {
            $value instanceof Model => $value->toArray(),
            $value instanceof \BackedEnum => $value->value,
            $value instanceof \DateTimeInterface => \DateTimeImmutable::createFromInterface($value)
                ->setTimezone(new \DateTimeZone('UTC'))->format('Y-m-d\TH:i:s.v\Z'),
            default => $value,
        };
    }

    private static function scalar(string $type, mixed $value, string $where): mixed
    {
        $fits = match ($type) {
            'string' => is_string($value),
            'integer' => is_int($value),
            'number' => is_int($value) || is_float($value),
            'boolean' => is_bool($value),
            'null' => $value === null,
            'json' => true,
        };
        return $fits ? $value : throw new Undecodable("$where is not of type $type");
    }

    private static function reference(string $name, mixed $value, string $where): mixed
    {
        if (isset(Aliases::ALL[$name])) {
            return self::decode(Aliases::ALL[$name], $value, $where);
        }
        return self::object("Acuse\\Types\\$name", is_array($value) && !array_is_list($value)
            ? (object) $value : $value, $where);
    }

    private static function items(array|string $of, mixed $value, string $where): array
    {
        if (!is_array($value) || !array_is_list($value)) {
            throw new Undecodable("$where is not a list");
        }
        foreach ($value as $at => $each) {
            $value[$at] = self::decode($of, $each, "{$where}[$at]");
        }
        return $value;
    }

    private static function map(array|string $of, mixed $value, string $where): array
    {
        if (!$value instanceof \stdClass && !is_array($value)) {
            throw new Undecodable("$where is not an object");
        }
        $found = [];
        foreach ((array) $value as $name => $each) {
            $found[$name] = self::decode($of, $each, "$where.$name");
        }
        return $found;
    }

    private static function union(array $of, mixed $value, string $where): mixed
    {
        foreach ($of as $type) {
            try {
                return self::decode($type, $value, $where);
            } catch (Undecodable) {
                continue;
            }
        }
        throw new Undecodable("$where has another type");
    }
}
