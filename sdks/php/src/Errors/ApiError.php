<?php

declare(strict_types=1);

namespace Acuse\Errors;

use Acuse\ErrorCode;

/** The server refused. */
class ApiError extends AcuseError
{
    private const BY_STATUS = [
        400 => InvalidRequestError::class,
        401 => AuthenticationError::class,
        403 => PermissionError::class,
        404 => NotFoundError::class,
        405 => InvalidRequestError::class,
        408 => InvalidRequestError::class,
        409 => ConflictError::class,
        413 => InvalidRequestError::class,
        415 => InvalidRequestError::class,
        422 => RefusedError::class,
        503 => UnavailableError::class,
    ];
    private const TOO_MANY = 429;

    /** Advice about it. */
    public readonly ?string $fix;

    /**
     * @param int $status HTTP status
     * @param string $errorCode see Acuse\ErrorCode; a newer server may have others
     * @param float|null $retryAfter seconds that the server asks to wait
     */
    final public function __construct(
        public readonly int $status,
        public readonly string $errorCode,
        string $message,
        ?string $requestId = null,
        public readonly ?float $retryAfter = null,
    ) {
        parent::__construct($message);
        $this->requestId = $requestId;
        $this->fix = ErrorCode::FIXES[$errorCode][1] ?? null;
    }

    /**
     * The class for a status, and of 429 for a code.
     * @internal
     * @return class-string<ApiError>
     */
    final public static function classFor(int $status, string $code): string
    {
        if ($status === self::TOO_MANY) {
            return $code === ErrorCode::QUOTA_EXCEEDED ? QuotaExceededError::class : RateLimitedError::class;
        }
        return self::BY_STATUS[$status] ?? ($status >= 500 ? ServerError::class : self::class);
    }

    public function __debugInfo(): array
    {
        return ['status' => $this->status, 'errorCode' => $this->errorCode, 'fix' => $this->fix]
            + parent::__debugInfo();
    }
}
