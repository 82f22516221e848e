<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** 401 */
final class AuthenticationError extends ApiError
{
}
