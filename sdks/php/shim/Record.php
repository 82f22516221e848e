<?php

declare(strict_types=1);

use Acuse\Internal\Task;

/** The library's acts for one request. */
final class Record
{
    /** @var WeakMap<Fiber, Record> */
    public static WeakMap $byFiber;

    public array $attempts = [];
    public array $sleeps = [];
    public ?float $cancelledAt = null;
    private readonly float $began;

    public function __construct()
    {
        $this->began = microtime(true);
    }

    public static function current(): self
    {
        return self::$byFiber[Fiber::getCurrent()];
    }

    public function cancelAfter(Task $task, ?int $milliseconds): void
    {
        $now = microtime(true);
        if ($milliseconds !== null && $this->cancelledAt === null && $now - $this->began >= $milliseconds / 1_000) {
            $this->cancelledAt = $now;
            $task->cancel();
        }
    }
}

Record::$byFiber = new WeakMap();
