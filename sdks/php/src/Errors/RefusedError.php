<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** 422 */
final class RefusedError extends ApiError
{
}
