<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** 429: the month's quota is used up. */
final class QuotaExceededError extends ApiError
{
}
