<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** The attempt took too long. */
final class TimeoutError extends ConnectionError
{
}
