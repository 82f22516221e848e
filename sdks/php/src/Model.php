<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Internal\Codec;
use Acuse\Internal\Redact;
use Acuse\Internal\Undecodable;

/**
 * Common to all types of the contract: read only, fields as the contract names them. Fields that this
 * version does not know are in extra().
 */
abstract class Model implements \JsonSerializable
{
    /** @internal name => type, required, nullable, essential */
    public const FIELDS = [];

    /** @internal */
    public function __construct(
        #[\SensitiveParameter] private readonly array $values,
        #[\SensitiveParameter] private readonly array $extra = [],
        private readonly ?ResponseInfo $response = null,
    ) {
    }

    /**
     * @param array<string, mixed> $value as json_decode gives it, of arrays or of objects
     * @throws \InvalidArgumentException an essential field is missing, or one is of another type
     */
    final public static function fromArray(#[\SensitiveParameter] array $value): static
    {
        try {
            return Codec::object(static::class, (object) $value, self::shortName());
        } catch (Undecodable $e) {
            throw new \InvalidArgumentException($e->getMessage(), 0, $e);
        }
    }

    /** @return array<string, mixed> fields that this version does not know, as they came */
    final public function extra(): array
    {
        return $this->extra;
    }

    /** Status and headers of the answer, if this object is a whole answer. */
    final public function response(): ?ResponseInfo
    {
        return $this->response;
    }

    /** @return array<string, mixed> as JSON has it, without what was absent */
    final public function toArray(): array
    {
        $written = [];
        foreach ($this->values as $name => $value) {
            $written[$name] = Codec::encode(static::FIELDS[$name][0], $value);
        }
        return $written + $this->extra;
    }

    /** The text that json_encode writes: an object, without what was absent. */
    final public function jsonSerialize(): object
    {
        return (object) $this->toArray();
    }

    /** @internal */
    final public function withResponse(ResponseInfo $response): static
    {
        return new static($this->values, $this->extra, $response);
    }

    /** @return array<string, mixed> what var_dump and print_r show */
    final public function __debugInfo(): array
    {
        return Redact::all($this->values + $this->extra);
    }

    private static function shortName(): string
    {
        return substr(static::class, strrpos(static::class, '\\') + 1);
    }
}
