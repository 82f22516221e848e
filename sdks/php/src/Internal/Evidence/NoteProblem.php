<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The fault in a note, a key or a proof. @internal */
final class NoteProblem extends \Exception
{
}
