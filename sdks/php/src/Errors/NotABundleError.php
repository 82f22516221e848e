<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** The file is something else, or cannot be read: nothing is said about evidence. */
final class NotABundleError extends AcuseError
{
}
