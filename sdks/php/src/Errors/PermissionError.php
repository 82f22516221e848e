<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** 403 */
final class PermissionError extends ApiError
{
}
