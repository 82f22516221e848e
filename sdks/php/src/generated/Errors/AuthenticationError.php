<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Errors;

/** The API key is missing or unknown: 401. */
final class AuthenticationError extends ApiError
{
}
