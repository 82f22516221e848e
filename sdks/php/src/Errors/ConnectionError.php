<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** No whole answer came. */
class ConnectionError extends AcuseError
{
    /** @param string $phase connect, tls, send or receive */
    public function __construct(string $message, public readonly string $phase)
    {
        parent::__construct($message);
    }
}
