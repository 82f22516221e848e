<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** Something that this library cannot judge. @internal */
final class NotChecked extends \Exception
{
}
