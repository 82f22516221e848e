<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Internal\Loop;
use Acuse\Internal\Task;

/** Many calls at once in one thread: PHP has no others. While one waits for its answer the others go on. */
final class Together
{
    /**
     * What each call returned, under the key that the call has; where a call threw, what it threw. Code of the
     * calls that waits in any other way than for this library holds all of them up.
     *
     *     $sent = Together::run(array_map(fn ($draft) => fn () => $acuse->messages->send($draft), $drafts));
     *
     * @param iterable<array-key, \Closure(): mixed> $calls
     * @param int $limit calls at one time
     * @param (\Closure(): bool)|null $cancelled asked at least 20 times a second; true: calls that have not ended
     *   throw Cancelled, and no other begins
     * @return array<array-key, mixed>
     */
    public static function run(iterable $calls, int $limit = 20, ?\Closure $cancelled = null): array
    {
        $loop = new Loop();
        /** @var array<array-key, Task> $tasks */
        $tasks = [];
        $running = [];
        foreach ($calls as $name => $call) {
            $tasks[$name] = $running[$name] = new Task();
            if ($cancelled !== null && $cancelled()) {
                $tasks[$name]->fail(new Cancelled('The call was cancelled before it began.'));
            } else {
                $loop->start($tasks[$name], $call);
            }
            $running = self::settle($loop, $running, max(1, $limit), $cancelled);
        }
        self::settle($loop, $running, 1, $cancelled);
        return array_map(static fn (Task $task): mixed => $task->error ?? $task->result, $tasks);
    }

    /** Until fewer than so many run. */
    private static function settle(Loop $loop, array $running, int $limit, ?\Closure $cancelled): array
    {
        $running = array_filter($running, static fn (Task $task): bool => !$task->done);
        while (count($running) >= $limit) {
            if ($cancelled !== null && $cancelled()) {
                array_map(static fn (Task $task) => $task->cancel(), $running);
            }
            $loop->round();
            $running = array_filter($running, static fn (Task $task): bool => !$task->done);
        }
        return $running;
    }
}
