<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\Cancelled;

/** A call of a loop. @internal */
final class Task
{
    public bool $done = false;
    public mixed $result = null;
    public ?\Throwable $error = null;
    private bool $cancelled = false;

    /** Ends the call at the next look. */
    public function cancel(): void
    {
        $this->cancelled = true;
    }

    /** Once. */
    public function cancellation(): ?Cancelled
    {
        $now = $this->cancelled;
        $this->cancelled = false;
        return $now ? new Cancelled('The call was cancelled.') : null;
    }

    public function settle(mixed $result): void
    {
        $this->done = true;
        $this->result = $result;
    }

    public function fail(\Throwable $error): void
    {
        $this->done = true;
        $this->error = $error;
    }
}
