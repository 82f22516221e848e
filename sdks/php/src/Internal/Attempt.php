<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** A request as it goes over the wire, once. Times are seconds. @internal */
final class Attempt
{
    /**
     * @param string $url without credentials
     * @param array<string, string> $headers without Authorization
     * @param (\Closure(string): void)|null $sink takes the content of a success in pieces
     * @param bool $fresh never on a connection that was used: libcurl sends a request again, whatever its method,
     *   when a used connection is lost
     */
    public function __construct(
        public readonly string $http,
        public readonly string $url,
        public readonly array $headers,
        public readonly Secret $key,
        public readonly ?string $body,
        public readonly float $timeout,
        public readonly float $connectTimeout,
        public readonly int $maxBytes,
        public readonly ?\Closure $sink,
        public readonly bool $fresh,
    ) {
    }

    public function __debugInfo(): array
    {
        return ['http' => $this->http, 'url' => $this->url];
    }
}
