<?php

declare(strict_types=1);

namespace Acuse;

/** Of this package. */
final class Version
{
    public const TEXT = '1.0.0';
}
