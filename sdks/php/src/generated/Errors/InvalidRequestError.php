<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Errors;

/** The request is malformed: 400, 405, 408, 413 or 415. */
final class InvalidRequestError extends ApiError
{
}
