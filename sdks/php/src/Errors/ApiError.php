<?php

declare(strict_types=1);

namespace Acuse\Errors;

use Acuse\ErrorCode;

/** The server refused. */
class ApiError extends AcuseError
{
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

    public function __debugInfo(): array
    {
        return ['status' => $this->status, 'errorCode' => $this->errorCode, 'fix' => $this->fix]
            + parent::__debugInfo();
    }
}
