<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Errors;

/** The server failed: 5xx. */
class ServerError extends ApiError
{
}
