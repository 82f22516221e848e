<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** The answer is not what the contract says. */
final class ProtocolError extends AcuseError
{
    public function __construct(string $message, public readonly ?int $status = null)
    {
        parent::__construct($message);
    }
}
