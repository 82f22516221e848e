<?php

declare(strict_types=1);

namespace Acuse;

/** The program ended the call: the request may have been carried out. */
final class Cancelled extends \RuntimeException
{
    /** The key of a send: pass it again to try the same message again. */
    public ?string $idempotencyKey = null;
    /** How many requests were made. */
    public int $attempts = 0;
}
