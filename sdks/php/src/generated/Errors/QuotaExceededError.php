<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Errors;

/** The monthly quota is used up: 429 quota_exceeded. */
final class QuotaExceededError extends ApiError
{
}
