<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** 400, 405, 408, 413, 415 */
final class InvalidRequestError extends ApiError
{
}
