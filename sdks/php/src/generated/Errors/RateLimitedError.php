<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Errors;

/** Too many requests: 429. */
final class RateLimitedError extends ApiError
{
}
