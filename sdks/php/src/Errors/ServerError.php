<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** 5xx */
class ServerError extends ApiError
{
}
