<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** 503 */
final class UnavailableError extends ServerError
{
}
