<?php

declare(strict_types=1);

namespace Acuse\Internal;

use Acuse\Checkpoint;
use Acuse\Errors\AcuseError;
use Acuse\Errors\ConfigurationError;
use Acuse\Errors\LogError;
use Acuse\Errors\NotFoundError;
use Acuse\Errors\RefusedError;
use Acuse\Internal\Evidence\Merkle;
use Acuse\Internal\Evidence\Note;
use Acuse\Internal\Evidence\NoteProblem;
use Acuse\Internal\Evidence\PromiseText;
use Acuse\Internal\Evidence\TileTree;
use Acuse\Internal\Evidence\VerifierKey;
use Acuse\Promise;
use Acuse\Types\Message;

/** What follows the public log, of its operations. @internal */
trait FollowsLog
{
    /**
     * The newest checkpoint, signed by the key that you know.
     * @param string $pinnedKey `name+id+key`, as log->key() answered when you trusted it
     * @throws AcuseError a LogError bad_signature, a ConfigurationError for a key that cannot be one
     */
    public function checkpoint(string $pinnedKey): Checkpoint
    {
        Checkpoint::pinned($pinnedKey);
        return Checkpoint::load($this->call('getLogCheckpoint'), $pinnedKey);
    }

    /**
     * The newest checkpoint, after its tiles have proven that it continues the saved one.
     * @throws AcuseError a LogError: went_back, forked or bad_signature
     */
    public function follow(Checkpoint $saved): Checkpoint
    {
        $new = $this->checkpoint($saved->key);
        if ($new->size < $saved->size) {
            throw new LogError(LogError::WENT_BACK, "The log has $new->size entries, and had $saved->size.");
        }
        $path = $this->walk($new->size, static fn (TileTree $tree): array => $tree->consistency($saved->size));
        if (!Merkle::isConsistent($saved->size, $saved->root, $new->size, $new->root, $path)) {
            $text = "The log at $new->size entries does not continue that of $saved->size.";
            throw new LogError(LogError::FORKED, $text);
        }
        return $new;
    }

    /**
     * True if the log has included the message as it promised when the message was accepted.
     * @param Checkpoint $checkpoint newer than the message: a kept promise is found only in one that holds it
     * @throws AcuseError a LogError bad_signature, a ConfigurationError for a message without a promise
     */
    public function checkPromise(Message $message, Checkpoint $checkpoint): Promise
    {
        if ($message->promise === null) {
            throw new ConfigurationError('The message has no promise: only certified ones do.');
        }
        $promise = self::promiseOf($message->promise, Checkpoint::pinned($checkpoint->key));
        $late = $this->core->options->wallClockMs() > 1_000 * $promise->deadline;
        $missing = new Promise($late ? Promise::BROKEN : Promise::PENDING, $promise->deadline);
        try {
            $evidence = $this->call('getEvidence', path: ['id' => $message->id]);
        } catch (RefusedError | NotFoundError) {
            return $missing;
        }
        $index = $evidence->leaf_index;
        $same = $evidence->canonical_hash === bin2hex($promise->canonicalHash);
        if (!$same || $index < 0 || $index >= $checkpoint->size) {
            return $missing;
        }
        $path = $this->walk($checkpoint->size, static fn (TileTree $tree): array => $tree->inclusion($index));
        $leaf = Merkle::leafHash($promise->canonicalHash);
        $kept = Merkle::isIncluded($leaf, $index, $checkpoint->size, $path, $checkpoint->root);
        return $kept ? new Promise(Promise::KEPT, $promise->deadline) : $missing;
    }

    private static function promiseOf(string $text, VerifierKey $key): PromiseText
    {
        try {
            return PromiseText::open($text, $key);
        } catch (NoteProblem $problem) {
            $told = "The promise is not signed by $key->name: {$problem->getMessage()}.";
            throw new LogError(LogError::BAD_SIGNATURE, $told);
        }
    }

    /**
     * The result of a walk through the log's tree; each tile that it needs is asked for once.
     * @param \Closure(TileTree): list<string> $path
     * @return list<string>
     */
    private function walk(int $size, \Closure $path): array
    {
        $tiles = [];
        return $path(new TileTree($size, function (int $level, int $index, int $width) use (&$tiles): string {
            $name = TileTree::path($level, $index, $width);
            $tiles[$name] ??= $this->call('getLogTile', path: ['path' => $name]);
            if (strlen($tiles[$name]) !== $width * Merkle::HASH_BYTES) {
                throw new LogError(LogError::FORKED, "The tile $name of the log has another length.");
            }
            return $tiles[$name];
        }));
    }
}
