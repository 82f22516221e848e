<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** Nothing was requested: what was passed cannot be right. */
final class ConfigurationError extends AcuseError
{
}
