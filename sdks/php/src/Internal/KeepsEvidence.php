<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\ErrorCode;
use Acuse\Errors\AcuseError;
use Acuse\Errors\ConfigurationError;
use Acuse\Errors\RefusedError;
use Acuse\Errors\TimeoutError;
use Acuse\Types\Message;

/** What does more than one request, of the operations of evidence. @internal */
trait KeepsEvidence
{
    /**
     * Writes the proof bundle to a file: beside it first, synced, then renamed, so that a stream that is cut leaves
     * nothing.
     * @param string $id of the message
     * @return int bytes written
     * @throws AcuseError a ConfigurationError when the file cannot be written
     */
    public function downloadBundle(string $id, string $path): int
    {
        $beside = dirname($path) . '/.acuse-' . bin2hex(random_bytes(8)) . '.part';
        $file = @fopen($beside, 'x+b');
        if ($file === false) {
            throw new ConfigurationError('The bundle cannot be written: ' . dirname($path) . ' takes no file.');
        }
        try {
            $size = 0;
            $request = new Request(
                'getProofBundle',
                ['id' => $id],
                sink: static function (string $chunk) use ($file, &$size): void {
                    if (@fwrite($file, $chunk) !== strlen($chunk)) {
                        throw new ConfigurationError('The bundle cannot be written: is the disk full?');
                    }
                    $size += strlen($chunk);
                },
                rewind: static function () use ($file, &$size): void {
                    rewind($file);
                    ftruncate($file, 0);
                    $size = 0;
                },
            );
            (new Call($this->core, $request))->run();
            if (!fflush($file) || !fsync($file) || !@rename($beside, $path)) {
                throw new ConfigurationError("The bundle cannot be written to $path.");
            }
            return $size;
        } finally {
            fclose($file);
            if (is_file($beside)) {
                @unlink($beside);
            }
        }
    }

    /**
     * Asks until the message is sealed; at once for a plain message, which never is.
     * @param float $within seconds
     * @throws AcuseError a RefusedError not_certified for a plain message, a TimeoutError when the time has ended
     */
    public function waitUntilSealed(string $id, float $within = 120): Message
    {
        $waits = [1, 2, 3, 5];
        $options = $this->core->options;
        $ends = $options->clock() + $within;
        for ($look = 0;; $look++) {
            $message = $this->call('getMessage', path: ['id' => $id]);
            if ($message->sealed_at !== null) {
                return $message;
            }
            if (!$message->certified) {
                throw new RefusedError(422, ErrorCode::NOT_CERTIFIED, 'A plain message is never sealed.');
            }
            $wait = $waits[min($look, count($waits) - 1)];
            if ($options->clock() + $wait > $ends) {
                throw new TimeoutError("The message was not sealed within $within s: ask again later.", 'receive');
            }
            $options->sleep($wait);
        }
    }
}
