<?php

declare(strict_types=1);

// The shim of sdks/conformance/README.md: one JSON request a line in, one answer a line out. PHP has one thread: each
// request is a call of the library's own loop, as Acuse\Together runs them.
require __DIR__ . '/../autoload.php';
require __DIR__ . '/Record.php';
require __DIR__ . '/Clients.php';
require __DIR__ . '/Ops.php';

use Acuse\Internal\Loop;
use Acuse\Internal\Task;

ini_set('display_errors', 'stderr');
ini_set('memory_limit', '1G');
set_error_handler(static function (int $level, string $text, string $file, int $line): bool {
    if ((error_reporting() & $level) === 0) {
        return false;
    }
    throw new ErrorException($text, 0, $level, $file, $line);
});

$loop = new Loop();
/** @var array<int, array{Task, Record, array}> $calls */
$calls = [];
$rest = '';
stream_set_blocking(STDIN, false);
$open = true;
$lines = [];
while ($open || $calls !== []) {
    if ($open) {
        $read = [STDIN];
        $none = null;
        $idle = $loop->isIdle();
        if (stream_select($read, $none, $none, $idle ? 1 : 0, 0) > 0) {
            $bytes = fread(STDIN, 1 << 20);
            $rest .= $bytes;
            $open = $bytes !== '' || !feof(STDIN);
            // A line may have 64 MiB: it is not looked through for every piece of it.
            if (str_contains($bytes, "\n")) {
                $lines = explode("\n", $rest);
                $rest = array_pop($lines);
            }
        }
    }
    foreach ($lines as $line) {
        $request = json_decode($line, true);
        $task = new Task();
        $record = new Record();
        $calls[$request['id']] = [$task, $record, $request];
        $loop->start($task, static function () use ($request, $record, $line): mixed {
            Record::$byFiber[Fiber::getCurrent()] = $record;
            $exact = json_decode($line)->args ?? null;
            return (new Ops($request['args'] ?? [], $request['options'] ?? [], $exact, $record))->run($request['op']);
        });
    }
    $lines = [];
    $loop->round($rest === '' ? 0.002 : 0.0);
    foreach ($calls as $id => [$task, $record, $request]) {
        $record->cancelAfter($task, $request['args']['cancel_after_ms'] ?? null);
        if (!$task->done) {
            continue;
        }
        $said = $task->error === null
            ? ['result' => $task->result]
            : ['error' => Clients::error($task->error, $record)];
        $said += ['id' => $id, 'attempts' => $record->attempts, 'sleeps' => $record->sleeps];
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE;
        fwrite(STDOUT, json_encode($said, $flags) . "\n");
        unset($calls[$id]);
    }
}
