<?php

declare(strict_types=1);

namespace Acuse\Errors;

/** The log is not what it said before. Keep both checkpoints: they are the proof. */
final class LogError extends AcuseError
{
    public const WENT_BACK = 'went_back';
    public const FORKED = 'forked';
    public const BAD_SIGNATURE = 'bad_signature';

    /** @param string $reason went_back: smaller than before; forked: another history; bad_signature: not its key's */
    public function __construct(public readonly string $reason, string $message)
    {
        parent::__construct($message);
    }
}
