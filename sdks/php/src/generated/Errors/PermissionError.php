<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Errors;

/** The API key may not do this: 403. */
final class PermissionError extends ApiError
{
}
