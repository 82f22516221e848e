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
        return new self($head->origin, $head->size, $head->root, $note, trim($pinnedKey));
    }

    /** @internal @throws ConfigurationError */
    public static function pinned(string $text): VerifierKey
    {
        Verifier::needExtensions();
        try {
            $key = VerifierKey::parse(trim($text));
        } catch (NoteProblem $problem) {
            throw new ConfigurationError("The pinned key cannot be one: {$problem->getMessage()}.");
        }
        if ($key->kind !== VerifierKey::LOG) {
            throw new ConfigurationError('The pinned key is a witness\'s, not a log\'s.');
        }
        return $key;
    }
}
