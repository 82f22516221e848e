<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** Bytes that are not DER, or not of the form that a time-stamp or a certificate has. @internal */
final class DerProblem extends \Exception
{
}
