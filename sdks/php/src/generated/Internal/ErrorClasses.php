<?php

// Generated from contract/openapi.json by sdks/generate/php.mjs: do not edit.

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\Errors\ApiError;
use Acuse\Errors\AuthenticationError;
use Acuse\Errors\ConflictError;
use Acuse\Errors\InvalidRequestError;
use Acuse\Errors\NotFoundError;
use Acuse\Errors\PermissionError;
use Acuse\Errors\QuotaExceededError;
use Acuse\Errors\RateLimitedError;
use Acuse\Errors\RefusedError;
use Acuse\Errors\ServerError;
use Acuse\Errors\UnavailableError;

/** @internal the classes of refusals */
final class ErrorClasses
{
    /** @return class-string<ApiError> for a status, and of 429 for a code */
    public static function of(int $status, string $code): string
    {
        return match (true) {
            in_array($status, [400, 405, 408, 413, 415], true) => InvalidRequestError::class,
            in_array($status, [401], true) => AuthenticationError::class,
            in_array($status, [403], true) => PermissionError::class,
            in_array($status, [404], true) => NotFoundError::class,
            in_array($status, [409], true) => ConflictError::class,
            in_array($status, [422], true) => RefusedError::class,
            in_array($status, [429], true) && $code === 'quota_exceeded' => QuotaExceededError::class,
            in_array($status, [429], true) => RateLimitedError::class,
            in_array($status, [503], true) => UnavailableError::class,
            $status >= 500 => ServerError::class,
            default => ApiError::class,
        };
    }
}
