<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Errors;

/** The state of the resource does not allow it now: 409. */
final class ConflictError extends ApiError
{
}
