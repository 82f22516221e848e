<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** 429: too many requests. */
final class RateLimitedError extends ApiError
{
}
