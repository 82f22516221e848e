<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Errors;

/** Understood and refused: 422. */
final class RefusedError extends ApiError
{
}
