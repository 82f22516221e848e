<?php

declare(strict_types=1);

namespace Acuse;

use Acuse\Errors\ConfigurationError;
use Acuse\Errors\LogError;
use Acuse\Internal\Evidence\Note;
use Acuse\Internal\Evidence\NoteProblem;
use Acuse\Internal\Evidence\TreeHead;
use Acuse\Internal\Evidence\VerifierKey;

/** The log at some size. Keep `note` and `key`: load() makes it again. */
final readonly class Checkpoint
{
    /** Around a pinned key these are no part of it: files and answers end in a line end. */
    private const AROUND = " \t\r\n";

    /**
     * @param string $root 32 bytes
     * @param string $note the signed text as the log gave it
     * @param string $key the verifier key that signed it
     */
    private function __construct(
        public string $origin,
        public int $size,
        public string $root,
        public string $note,
        public string $key,
    ) {
    }

    /**
     * @throws LogError bad_signature: the key did not sign it
     * @throws ConfigurationError the key cannot be one
     */
    public static function load(string $note, string $pinnedKey): self
    {
        $key = self::pinned($pinnedKey);
        try {
            $parsed = Note::parse($note);
            $head = TreeHead::parse($parsed->text);
            if ($head->origin !== $key->name || $parsed->signers([$key], VerifierKey::LOG) === []) {
                throw new NoteProblem('not signed by the pinned key');
            }
        } catch (NoteProblem $problem) {
            $text = "The checkpoint is not signed by $key->name: {$problem->getMessage()}.";
            throw new LogError(LogError::BAD_SIGNATURE, $text);
        }
        return new self($head->origin, $head->size, $head->root, $note, trim($pinnedKey, self::AROUND));
    }

    /** @internal @throws ConfigurationError */
    public static function pinned(string $text): VerifierKey
    {
        Verifier::needExtensions();
        try {
            $key = VerifierKey::parse(trim($text, self::AROUND));
            if ($key->kind !== VerifierKey::LOG) {
                throw new NoteProblem('a key of another kind');
            }
        } catch (NoteProblem $problem) {
            $told = "The pinned key must be the log's, name+id+base64: {$problem->getMessage()}.";
            throw new ConfigurationError($told);
        }
        return $key;
    }
}
