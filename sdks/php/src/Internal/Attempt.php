<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** A request as it goes over the wire, once. Times are seconds. @internal */
final readonly class Attempt
{
    /**
     * @param string $url without credentials
     * @param array<string, string> $headers without Authorization
     * @param (\Closure(string): void)|null $sink takes the content of a success in pieces
     * @param bool $fresh never on a connection that was used: libcurl sends a request again, whatever its method,
     *   when a used connection is lost
     */
    public function __construct(
        public string $http,
        public string $url,
        public array $headers,
        public Secret $key,
        public ?string $body,
        public float $timeout,
        public float $connectTimeout,
        public int $maxBytes,
        public ?\Closure $sink,
        public bool $fresh,
    ) {
    }

    public function __debugInfo(): array
    {
        return ['http' => $this->http, 'url' => $this->url];
    }
}
