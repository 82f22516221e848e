<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The signer: `name+<hex key id>+<base64 of type and key>`. @internal */
final readonly class VerifierKey
{
    /** Signs notes. */
    public const LOG = 1;
    public const WITNESS = 4;
    /** The second one of a log, of ML-DSA-44. */
    public const SECOND = 6;
    private const BYTES = [self::LOG => 32, self::WITNESS => 32, self::SECOND => 1_312];
    private const FORM = '~\A([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)\z~';

    private function __construct(
        public string $name,
        public string $id,
        public int $kind,
        public string $key,
    ) {
    }

    /** @throws NoteProblem */
    public static function parse(string $text): self
    {
        if (preg_match(self::FORM, $text, $found) !== 1 || !Note::isName($found[1])) {
            throw new NoteProblem('not a verifier key');
        }
        $material = Note::unbase64($found[3]);
        $kind = ord($material[0] ?? "\0");
        if (strlen($material) !== 1 + (self::BYTES[$kind] ?? -1)) {
            throw new NoteProblem('not an Ed25519 or ML-DSA-44 key');
        }
        $id = substr(hash('sha256', "$found[1]\n$material", true), 0, 4);
        if (bin2hex($id) !== $found[2]) {
            throw new NoteProblem('a key id that is not the key\'s');
        }
        return new self($found[1], $id, $kind, substr($material, 1));
    }

    /** The same key as a witness has it, which is how a log counts outcomes. */
    public function asWitness(): self
    {
        $id = hash('sha256', "$this->name\n" . chr(self::WITNESS) . $this->key, true);
        return new self($this->name, substr($id, 0, 4), self::WITNESS, $this->key);
    }

    /** The operator's host, without a port and without the dot that a full name may end in. */
    public function host(): string
    {
        return preg_replace('/\.\z/', '', explode(':', $this->operator(), 2)[0]);
    }

    /** The host in the name: what one operator runs counts once. */
    public function operator(): string
    {
        return strtolower(explode('/', $this->name, 2)[0]);
    }
}
