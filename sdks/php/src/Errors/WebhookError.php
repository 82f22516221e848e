<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** A webhook delivery that is not genuine, or cannot be told to be. */
final class WebhookError extends AcuseError
{
    /** @param string $reason such as no_match or too_old */
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct($message);
    }
}
