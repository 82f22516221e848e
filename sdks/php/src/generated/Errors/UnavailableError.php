<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Errors;

/** The server is not available: 503. */
final class UnavailableError extends ServerError
{
}
