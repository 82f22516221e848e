<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** 404 */
final class NotFoundError extends ApiError
{
}
