<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** 409 */
final class ConflictError extends ApiError
{
}
