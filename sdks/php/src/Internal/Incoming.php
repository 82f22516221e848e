<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** An answer while it arrives. What a sink throws is kept: libcurl calls from within other calls. @internal */
final class Incoming
{
    /** Anything else, and libcurl ends the transfer. */
    private const STOP = -1;

    public bool $tooLarge = false;
    public ?\Throwable $problem = null;
    /** True if the framing is valid: libcurl takes a head that was cut, and the first digits of a length. */
    public bool $framed = false;
    private const LENGTH = '/\A[0-9]{1,15}\z/';
    private int $status = 0;
    private array $headers = [];
    private string $body = '';

    public function __construct(private readonly Attempt $attempt)
    {
    }

    public function header(\CurlHandle $handle, string $line): int
    {
        if (preg_match('~\AHTTP/[0-9.]+ ([0-9]{3})~', $line, $found) === 1) {
            // After an interim answer (1xx) the one that counts begins.
            $this->status = (int) $found[1];
            $this->headers = [];
            $this->framed = false;
        } elseif (trim($line) === '') {
            $length = $this->headers['content-length'] ?? '0';
            $this->framed = preg_match(self::LENGTH, $length) === 1;
        } elseif (str_contains($line, ':')) {
            [$name, $value] = explode(':', $line, 2);
            $name = strtolower(trim($name));
            $value = trim($value);
            $this->headers[$name] = isset($this->headers[$name]) ? "{$this->headers[$name]}, $value" : $value;
        }
        return strlen($line);
    }

    public function write(\CurlHandle $handle, #[\SensitiveParameter] string $chunk): int
    {
        if ($this->attempt->sink !== null && $this->status >= 200 && $this->status < 300) {
            try {
                ($this->attempt->sink)($chunk);
            } catch (\Throwable $problem) {
                $this->problem = $problem;
                return self::STOP;
            }
            return strlen($chunk);
        }
        if (strlen($this->body) + strlen($chunk) > $this->attempt->maxBytes) {
            $this->tooLarge = true;
            return self::STOP;
        }
        $this->body .= $chunk;
        return strlen($chunk);
    }

    public function reply(): Reply
    {
        return new Reply($this->status, $this->headers, $this->body, $this->tooLarge);
    }

    public function __debugInfo(): array
    {
        return ['status' => $this->status];
    }
}
