<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** An answer that is not of its type. @internal */
final class Undecodable extends \Exception
{
}
