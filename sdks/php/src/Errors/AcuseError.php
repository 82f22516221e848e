<?php

declare(strict_types=1);

namespace Acuse\Errors;

use Acuse\Internal\Redact;

/** Everything that this library throws of itself. */
abstract class AcuseError extends \RuntimeException
{
    /** The key of a send: pass it again to try the same message again. */
    public ?string $idempotencyKey = null;
    /** The server's name for the request: tell it to the operator. */
    public ?string $requestId = null;
    /** How many requests were made. */
    public int $attempts = 0;
    /** True if the server may have carried the request out. */
    public bool $outcomeUnknown = false;

    public function __construct(#[\SensitiveParameter] string $message, ?\Throwable $previous = null)
    {
        parent::__construct(Redact::plain(Redact::text($message)), 0, $previous);
    }

    /** The error and where it was thrown, without arguments. */
    final public function __toString(): string
    {
        return static::class . ": {$this->getMessage()} in {$this->getFile()}:{$this->getLine()}";
    }

    /** @return array<string, mixed> what var_dump and print_r show */
    public function __debugInfo(): array
    {
        return [
            'message' => $this->getMessage(),
            'idempotencyKey' => $this->idempotencyKey,
            'requestId' => $this->requestId,
            'attempts' => $this->attempts,
            'outcomeUnknown' => $this->outcomeUnknown,
        ];
    }
}
