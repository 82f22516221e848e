<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\Errors\ConfigurationError;

/** The request of a call: the operation with its parameters, checked and written. @internal */
final class Request
{
    public readonly array $operation;
    public readonly string $target;

    /**
     * @param array<string, string> $path
     * @param array<string, mixed> $query null values are left out
     * @param string|null $body bytes, the same in every attempt
     * @param (\Closure(string): void)|null $sink takes the content of a success in pieces
     * @param (\Closure(): void)|null $rewind empties the sink before each attempt
     */
    public function __construct(
        string $id,
        array $path = [],
        array $query = [],
        #[\SensitiveParameter] public readonly ?string $body = null,
        public readonly array $headers = [],
        public readonly ?\Closure $sink = null,
        public readonly ?\Closure $rewind = null,
    ) {
        $this->operation = Operations::ALL[$id];
        $this->target = self::path($this->operation['path'], $path) . self::query($query);
    }

    /** libcurl sends again on its own where a connection that was used is lost. */
    public function mayBeRepeated(): bool
    {
        return in_array($this->operation['retry'], ['safe', 'keyed'], true);
    }

    public function changes(): bool
    {
        return $this->operation['http'] !== 'GET';
    }

    public function __debugInfo(): array
    {
        return ['operation' => $this->operation['name']];
    }

    /** No id may lead to another path. */
    private static function path(string $path, array $parameters): string
    {
        foreach ($parameters as $name => $given) {
            $parts = $name === 'path' ? explode('/', (string) $given) : [(string) $given];
            if (array_intersect($parts, ['', '.', '..']) !== []) {
                throw new ConfigurationError("$name must not be empty or a path: it is " . json_encode($given) . '.');
            }
            $path = str_replace('{' . $name . '}', implode('/', array_map(rawurlencode(...), $parts)), $path);
        }
        return $path;
    }

    private static function query(array $query): string
    {
        $pairs = [];
        foreach ($query as $name => $value) {
            if ($value === null) {
                continue;
            }
            $texts = array_map(static fn (mixed $each): string => match (true) {
                is_bool($each) => $each ? 'true' : 'false',
                default => (string) Codec::plain($each),
            }, is_array($value) ? $value : [$value]);
            $pairs[] = rawurlencode($name) . '=' . rawurlencode(implode(',', $texts));
        }
        return $pairs === [] ? '' : '?' . implode('&', $pairs);
    }
}
