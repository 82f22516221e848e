<?php

declare(strict_types=1);

namespace Acuse;

/** Of this package. */
final class Version
{
    public const TEXT = '0.1.0';
}
