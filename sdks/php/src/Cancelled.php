<?php

declare(strict_types=1);

namespace Acuse;

/** The program ended the call: the request may have been carried out. */
final class Cancelled extends \RuntimeException
{
}
