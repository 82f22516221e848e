<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\Errors\ConfigurationError;

/** The options of a client, checked. Times are seconds. @internal */
final class Options
{
    /** A request's body has a second more for each of these bytes. */
    public const BYTES_PER_SECOND = 256 * 1024;
    private const MAX_RETRIES = 100;
    private const DAY = 86_400;
    private const BASE_URL = 'The base URL (baseUrl, or ACUSE_URL)';
    private const DEFAULTS = [
        'maxRetries' => 3, 'connectTimeout' => 10, 'timeout' => 60, 'deadline' => 180, 'caFile' => null,
        'proxy' => null, 'appInfo' => null, 'onAttempt' => null, 'allowInsecure' => false, 'transport' => null,
        'clock' => null, 'wallClock' => null, 'sleep' => null, 'random' => null,
    ];

    public readonly Secret $apiKey;
    /** Without a slash at its end. */
    public readonly string $url;
    public readonly bool $loopback;
    private readonly array $given;

    /** @throws ConfigurationError */
    public function __construct(#[\SensitiveParameter] array $given)
    {
        $key = $given['apiKey'] ?? (getenv('ACUSE_API_KEY') ?: '');
        // ACUSE_BASE_URL is what it was called before.
        $base = $given['baseUrl'] ?? (getenv('ACUSE_URL') ?: (getenv('ACUSE_BASE_URL') ?: ''));
        unset($given['apiKey'], $given['baseUrl']);
        $unknown = array_diff(array_keys($given), array_keys(self::DEFAULTS));
        if ($unknown !== []) {
            $known = implode(', ', ['apiKey', 'baseUrl', ...array_keys(self::DEFAULTS)]);
            throw new ConfigurationError('Unknown option: ' . implode(', ', $unknown) . ". There are: $known.");
        }
        $this->given = $given + self::DEFAULTS;
        $this->apiKey = $key instanceof Secret ? $key : self::checkedKey($key);
        [$this->url, $this->loopback] = $this->checkedUrl($base);
        $this->checkNumbers();
        if (preg_match('/\A[ -~]{0,200}\z/', $this->given['appInfo'] ?? '') !== 1) {
            throw new ConfigurationError('appInfo must be at most 200 printable ASCII characters.');
        }
    }

    /** The same with other values. */
    public function with(#[\SensitiveParameter] array $changes): self
    {
        return new self($changes + ['apiKey' => $this->apiKey, 'baseUrl' => $this->url] + $this->given);
    }

    public function get(string $name): mixed
    {
        return $this->given[$name];
    }

    /** Seconds of a clock that never goes back. */
    public function clock(): float
    {
        return $this->given['clock'] === null ? hrtime(true) / 1e9 : ($this->given['clock'])();
    }

    /** Milliseconds since 1970. */
    public function wallClockMs(): int
    {
        return (int) (1_000 * ($this->given['wallClock'] === null ? microtime(true) : ($this->given['wallClock'])()));
    }

    public function sleep(float $seconds): void
    {
        $this->given['sleep'] === null ? Loop::pause($seconds) : ($this->given['sleep'])($seconds);
    }

    /** In [0, 1). */
    public function random(): float
    {
        return $this->given['random'] === null ? random_int(0, 2 ** 30 - 1) / 2 ** 30 : ($this->given['random'])();
    }

    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->url, 'apiKey' => Redact::text($this->apiKey->reveal())];
    }

    private static function checkedKey(#[\SensitiveParameter] string $key): Secret
    {
        if ($key === '') {
            throw new ConfigurationError('There is no API key: pass apiKey, or set ACUSE_API_KEY.');
        }
        if (preg_match('/\A[!-~]+\z/', $key) !== 1) {
            throw new ConfigurationError(
                'The API key has white space, control characters or letters that no key has: '
                . 'copy it again, without the line end.',
            );
        }
        return new Secret($key);
    }

    private function checkedUrl(#[\SensitiveParameter] string $text): array
    {
        if ($text === '') {
            throw new ConfigurationError('There is no address of the service: pass baseUrl, or set ACUSE_URL.');
        }
        if (preg_match('/\A[!-~]+\z/', $text) !== 1) {
            throw new ConfigurationError(self::BASE_URL . ' has white space, control or non-ASCII characters.');
        }
        $url = parse_url($text);
        $scheme = strtolower($url['scheme'] ?? '');
        if (!in_array($scheme, ['http', 'https'], true) || ($url['host'] ?? '') === '') {
            throw new ConfigurationError(self::BASE_URL . ' must begin with https:// (or http:// for this machine).');
        }
        if (isset($url['user']) || isset($url['pass']) || str_contains($url['host'], '@')) {
            throw new ConfigurationError(self::BASE_URL . ' has credentials: the API key is all that is needed.');
        }
        if (str_contains($text, '?') || str_contains($text, '#')) {
            throw new ConfigurationError(self::BASE_URL . ' has a query or a fragment: leave them out.');
        }
        $loopback = self::isLoopback($url['host']);
        if ($scheme === 'http' && !$loopback && !$this->given['allowInsecure']) {
            throw new ConfigurationError(
                self::BASE_URL . " is plain http to {$url['host']}: anyone on the way could read the API key. "
                . 'Use https; allowInsecure: true lifts this.',
            );
        }
        if ($scheme === 'http' && $this->given['proxy'] !== null && !$this->given['allowInsecure']) {
            throw new ConfigurationError(
                'The proxy would see the API key in plain http: use https; allowInsecure: true lifts this.',
            );
        }
        return [rtrim($text, '/'), $loopback];
    }

    /**
     * What HTTPS_PROXY and NO_PROXY say for an address; contract/vectors/README.md of the project has the rule.
     *
     * @param \Closure(string): string $env
     * @throws ConfigurationError for a proxy that is none
     */
    public static function environmentProxy(string $address, \Closure $env): ?string
    {
        $url = parse_url($address);
        if (strtolower($url['scheme']) !== 'https' || self::isLoopback($url['host'])) {
            return null;
        }
        $named = trim($env('https_proxy') ?: $env('HTTPS_PROXY'));
        if ($named === '' || self::isExcepted($url, $env('no_proxy') ?: $env('NO_PROXY'))) {
            return null;
        }
        $proxy = str_contains($named, '://') ? $named : "http://$named";
        if (preg_match('~\Ahttp://[^/]~', $proxy) !== 1) {
            throw new ConfigurationError('HTTPS_PROXY must be like http://proxy.example.com:3128.');
        }
        return $proxy;
    }

    private static function isExcepted(array $url, string $list): bool
    {
        $host = strtolower($url['host']);
        foreach (preg_split('/[\s,]+/', strtolower($list)) as $entry) {
            if ($entry === '*') {
                return true;
            }
            [$name, $only] = explode(':', preg_replace('/\A\*?\.?/', '', $entry), 2) + [1 => ''];
            $fits = $only === '' || $only === (string) ($url['port'] ?? 443);
            if ($name !== '' && $fits && ($host === $name || str_ends_with($host, ".$name"))) {
                return true;
            }
        }
        return false;
    }

    private static function isLoopback(string $host): bool
    {
        $name = strtolower(trim($host, '[]'));
        if ($name === 'localhost' || str_ends_with($name, '.localhost') || $name === '::1') {
            return true;
        }
        return filter_var($name, FILTER_VALIDATE_IP, FILTER_FLAG_IPV4) !== false && str_starts_with($name, '127.');
    }

    private function checkNumbers(): void
    {
        $retries = $this->given['maxRetries'];
        if (!is_int($retries) || $retries < 0 || $retries > self::MAX_RETRIES) {
            throw new ConfigurationError('maxRetries must be a whole number from 0 to 100.');
        }
        foreach (['connectTimeout', 'timeout', 'deadline'] as $name) {
            $value = $this->given[$name];
            if (!(is_int($value) || is_float($value)) || !($value > 0 && $value < self::DAY)) {
                throw new ConfigurationError("$name must be a number of seconds above 0 and below a day.");
            }
        }
    }
}
