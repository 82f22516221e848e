<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Errors;

/** No such resource in this account: 404. */
final class NotFoundError extends ApiError
{
}
