<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** How one attempt ended: an answer with its status and code, or no answer. @internal */
final readonly class Outcome
{
    public const ANSWER = 'answer';
    public const NO_CONNECTION = 'no_connection';
    public const LOST_ANSWER = 'lost_answer';
    public const TIMEOUT = 'timeout';
    public const TLS = 'tls';
    public const MALFORMED = 'malformed';

    public function __construct(
        public string $kind,
        public ?int $status = null,
        public ?string $code = null,
    ) {
    }

    /** True if the request may have been carried out. */
    public function unknown(): bool
    {
        if ($this->kind === self::ANSWER) {
            return $this->status >= 500;
        }
        return $this->kind !== self::NO_CONNECTION && $this->kind !== self::TLS;
    }
}
