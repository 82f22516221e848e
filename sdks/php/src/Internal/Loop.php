<?php

declare(strict_types=1);

namespace Acuse\Internal;

/**
 * Runs many calls at once, each in a fiber that waits for its transfer or its pause. Outside of a loop, waiting
 * blocks, as everything in PHP does.
 * @internal
 */
final class Loop
{
    /** Seconds between two looks where nothing says when to look. */
    private const LOOK = 0.05;
    /** The same where several clients have transfers. */
    private const SHORT_LOOK = 0.002;

    /** @var \WeakMap<\Fiber, true>|null the fibers of all loops */
    private static ?\WeakMap $fibers = null;

    /** @var array<int, array{Task, \Fiber, \Closure(): bool, ?CurlTransport}> */
    private array $waiting = [];

    /** Begins a call. */
    public function start(Task $task, \Closure $call): void
    {
        $fiber = new \Fiber(static function () use ($task, $call): void {
            try {
                $task->settle($call());
            } catch (\Throwable $error) {
                $task->fail($error);
            }
        });
        self::$fibers ??= new \WeakMap();
        self::$fibers[$fiber] = true;
        $this->keep($task, $fiber, $fiber->start());
    }

    public function isIdle(): bool
    {
        return $this->waiting === [];
    }

    /** Looks once at everything that waits, for at most so many seconds. */
    public function round(float $longest = self::LOOK): void
    {
        $sources = $this->sources();
        foreach ($sources as $source) {
            $source->pump();
        }
        if ($this->resumeReady() || $longest <= 0.0) {
            return;
        }
        foreach ($sources as $source) {
            $source->wait(count($sources) > 1 ? min($longest, self::SHORT_LOOK) : $longest);
        }
        if ($sources === []) {
            usleep((int) (1e6 * min($longest, self::SHORT_LOOK)));
        }
    }

    /** Waits until this is so: in a loop other calls go on meanwhile. */
    public static function until(\Closure $ready, ?CurlTransport $source = null): void
    {
        $fiber = \Fiber::getCurrent();
        $ours = $fiber !== null && isset(self::$fibers[$fiber]);
        while (!$ready()) {
            if ($ours) {
                \Fiber::suspend([$ready, $source]);
                continue;
            }
            $source?->pump();
            if (!$ready()) {
                $source === null ? usleep((int) (1e6 * self::SHORT_LOOK)) : $source->wait(self::LOOK);
            }
        }
    }

    public static function pause(float $seconds): void
    {
        $ends = hrtime(true) + $seconds * 1e9;
        self::until(static fn (): bool => hrtime(true) >= $ends);
    }

    private function keep(Task $task, \Fiber $fiber, ?array $wait): void
    {
        $id = spl_object_id($fiber);
        unset($this->waiting[$id]);
        if (!$fiber->isTerminated()) {
            $this->waiting[$id] = [$task, $fiber, ...$wait];
        }
    }

    private function resumeReady(): bool
    {
        $resumed = false;
        foreach ($this->waiting as [$task, $fiber, $ready]) {
            $cancellation = $task->cancellation();
            if ($cancellation !== null) {
                $this->keep($task, $fiber, $fiber->throw($cancellation));
            } elseif ($ready()) {
                $this->keep($task, $fiber, $fiber->resume());
            } else {
                continue;
            }
            $resumed = true;
        }
        return $resumed;
    }

    /** @return array<int, CurlTransport> */
    private function sources(): array
    {
        $found = [];
        foreach ($this->waiting as [, , , $source]) {
            if ($source !== null) {
                $found[spl_object_id($source)] = $source;
            }
        }
        return $found;
    }
}
