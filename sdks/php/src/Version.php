<?php

declare(strict_types=1);

namespace Acuse;

/** This package's version. */
final class Version
{
    public const TEXT = '1.0.0';
}
