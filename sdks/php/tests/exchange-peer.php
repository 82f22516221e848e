<?php

/**
 * Plays the answers of one case of exchanges.json to whoever connects, in a process of its own: PHP has no threads.
 * Its arguments are the file and the number of the case. It says its port, and at the end of its input what was asked
 * and taken.
 */

declare(strict_types=1);

$case = json_decode((string) file_get_contents($argv[1]), true)['cases'][(int) $argv[2]];
$server = stream_socket_server('tcp://127.0.0.1:0');
echo substr((string) strrchr((string) stream_socket_get_name($server, false), ':'), 1), "\n";
stream_set_blocking(STDIN, false);
$requests = $taken = 0;
/** @var array<int, array{mixed, string, ?\Generator, float}> $connections stream, what came, what is said, when next */
$connections = [];

$isWhole = static function (string $data) use ($case): bool {
    if ($case['tls'] ?? false) {
        return $data !== '';
    }
    [$head, $rest] = explode("\r\n\r\n", $data, 2) + [1 => null];
    $length = preg_match('/content-length: (\d+)/i', $head, $found) === 1 ? (int) $found[1] : 0;
    return $rest !== null && strlen($rest) >= $length;
};
/** Pieces, and seconds to wait after each. */
$say = static function (array $steps): \Generator {
    foreach ($steps as $step) {
        $data = isset($step['base64']) ? (string) base64_decode($step['base64'], true) : $step['text'];
        for ($n = 0, $times = $step['times'] ?? 1; $times === 0 || $n < $times; $n++) {
            yield $data => ($step['every_ms'] ?? 0) / 1_000;
        }
    }
};
$end = static function ($stream, string $how): void {
    if ($how === 'reset') {
        $linger = ['l_onoff' => 1, 'l_linger' => 0];
        socket_set_option(socket_import_stream($stream), SOL_SOCKET, SO_LINGER, $linger);
    }
    fclose($stream);
};

while (true) {
    $read = [STDIN, $server, ...array_column($connections, 0)];
    $write = array_column(array_filter($connections, static fn ($each) => $each[2] !== null), 0);
    $none = null;
    stream_select($read, $write, $none, 0, 20_000);
    if (in_array(STDIN, $read, true) && fread(STDIN, 1) === '') {
        break;
    }
    if (in_array($server, $read, true)) {
        $stream = stream_socket_accept($server);
        stream_set_blocking($stream, false);
        $connections[(int) $stream] = [$stream, '', null, 0.0];
    }
    foreach ($connections as $id => [$stream, $data, $said, $next]) {
        if (in_array($stream, $read, true)) {
            $more = @fread($stream, 65_536);
            if ($more === '' || $more === false) {
                fclose($stream);
                unset($connections[$id]);
                continue;
            }
            $connections[$id][1] = $data .= $more;
        }
        if ($said === null && $isWhole($data)) {
            $connections[$id][1] = '';
            $script = $case['answers'][min(++$requests, count($case['answers'])) - 1];
            $connections[$id][2] = $said = $say($script['steps']);
            $connections[$id][4] = $script['end'];
            $connections[$id][5] = '';
        }
        if ($said === null || microtime(true) < $next) {
            continue;
        }
        $rest = $connections[$id][5];
        if ($rest === '' && $said->valid()) {
            $rest = $said->key();
            $connections[$id][3] = microtime(true) + $said->current();
            $said->next();
        }
        if ($rest !== '') {
            $written = @fwrite($stream, $rest);
            if ($written === false) {
                fclose($stream);
                unset($connections[$id]);
                continue;
            }
            $taken += $written;
            $connections[$id][5] = substr($rest, $written);
        } elseif (!$said->valid()) {
            $how = $connections[$id][4];
            $connections[$id][2] = null;
            if ($how === 'close' || $how === 'reset') {
                $end($stream, $how);
                unset($connections[$id]);
            }
        }
    }
}
echo "$requests $taken\n";
