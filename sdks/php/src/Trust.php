<?php

declare(strict_types=1);

namespace Acuse;

/** See Verifier::TRUST_BUNDLE. */
enum Trust
{
    case Bundle;
}
