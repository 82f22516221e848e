<?php

declare(strict_types=1);

namespace Acuse\Internal;

/** Tokens for retries, shared by all calls of a client. @internal */
final class Budget
{
    public int $tokens = Decide::BUDGET;

    /** False, and nothing taken, when there are not enough. */
    public function take(int $cost): bool
    {
        if ($cost > $this->tokens) {
            return false;
        }
        $this->tokens -= $cost;
        return true;
    }

    /** @param int $spent what the retries of the call have cost */
    public function succeed(int $spent): void
    {
        $this->tokens = Decide::budgetAfterSuccess($this->tokens, $spent);
    }
}
