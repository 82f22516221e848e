<?php

declare(strict_types=1);

use Acuse\Checkpoint;
use Acuse\Client;
use Acuse\Errors\ConfigurationError;
use Acuse\Errors\LogError;
use Acuse\Internal\Attempt;
use Acuse\Internal\Evidence\Ed25519;
use Acuse\Internal\Evidence\LogProof;
use Acuse\Internal\Evidence\Merkle;
use Acuse\Internal\Evidence\Note;
use Acuse\Internal\Evidence\NoteProblem;
use Acuse\Internal\Evidence\PromiseText;
use Acuse\Internal\Evidence\TileTree;
use Acuse\Internal\Evidence\TreeHead;
use Acuse\Internal\Evidence\VerifierKey;
use Acuse\Internal\Reply;
use Acuse\Internal\Transport;
use PHPUnit\Framework\TestCase;

/** The log: signatures, trees and tiles against contract/vectors, and following one in memory. */
final class LogTest extends TestCase
{
    public function testSignaturesAreReadStrictly(): void
    {
        foreach (vectors('ed25519.json')['cases'] as $case) {
            [$key, $signature, $message] = array_map(
                hex2bin(...),
                [$case['public_key'], $case['signature'], $case['message']],
            );
            self::assertSame($case['valid'], Ed25519::isSignature($key, $signature, $message), $case['why']);
        }
    }

    public function testKeysOfSmallOrderAndOfTwoSpellingsAreRefused(): void
    {
        $p = strrev(hex2bin('7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed'));
        $below = $above = $p;
        $below[0] = chr(ord($p[0]) - 1);
        $above[0] = chr(ord($p[0]) + 1);
        $small = [str_repeat("\0", 32), "\1" . str_repeat("\0", 31)];
        $refused = [$p, $below, $above, ...$small, str_repeat("\xff", 32), 'short'];
        foreach ($refused as $key) {
            self::assertFalse(Ed25519::isSoundKey($key), bin2hex($key));
            $key[strlen($key) - 1] = chr(ord($key[-1]) ^ 0x80);
            self::assertFalse(Ed25519::isSoundKey($key), bin2hex($key));
        }
        self::assertTrue(Ed25519::isSoundKey(sodium_crypto_sign_publickey(sodium_crypto_sign_keypair())));
    }

    public function testReadsNotes(): void
    {
        $found = vectors('notes.json');
        $keys = [VerifierKey::parse($found['log_key']), VerifierKey::parse($found['witness_key'])];
        foreach ($found['cases'] as $case) {
            self::assertSame($case['valid'], self::isNote($case, $keys), $case['why']);
        }
    }

    private static function isNote(array $case, array $keys): bool
    {
        try {
            if ($case['kind'] === 'proof') {
                $proof = LogProof::parse($case['note']);
                $head = TreeHead::parse($proof->note->text);
                $leaf = Merkle::leafHash(hash('sha256', 'entry 7', true));
                $signers = array_column($proof->note->signers($keys, VerifierKey::LOG), 'name');
                return Merkle::isIncluded($leaf, $proof->index, $head->size, $proof->path, $head->root)
                    && in_array($head->origin, $signers, true);
            }
            if ($case['kind'] === 'promise') {
                $promise = PromiseText::open($case['note'], $keys[0]);
                $says = ['canonical_hash' => bin2hex($promise->canonicalHash), 'deadline' => $promise->deadline];
                return $says === ($case['says'] ?? null);
            }
            $note = Note::parse($case['note']);
            $read = TreeHead::parse($note->text);
            $signers = array_column($note->signers($keys, VerifierKey::LOG), 'name');
            $cosigned = $case['kind'] !== 'cosigned' || $note->signers($keys, VerifierKey::WITNESS) !== [];
            return $cosigned && in_array($read->origin, $signers, true);
        } catch (NoteProblem) {
            return false;
        }
    }

    public function testProvesTrees(): void
    {
        $found = vectors('merkle.json');
        $bytes = static fn (array $path): array => array_map(hex2bin(...), $path);
        foreach ($found['inclusion'] as $case) {
            [$leaf, $root] = $bytes([$case['leaf_hash'], $case['root']]);
            $held = Merkle::isIncluded($leaf, $case['index'], $case['size'], $bytes($case['path']), $root);
            self::assertSame($case['valid'], $held, $case['why']);
        }
        foreach ($found['consistency'] as $case) {
            [$old, $new] = $bytes([$case['old_root'], $case['new_root']]);
            $path = $bytes($case['path']);
            $held = Merkle::isConsistent($case['old_size'], $old, $case['new_size'], $new, $path);
            self::assertSame($case['valid'], $held, $case['why']);
        }
    }

    public function testNamesTiles(): void
    {
        foreach (vectors('tiles.json')['paths'] as $case) {
            if (is_int($case['level'])) {
                $path = TileTree::path($case['level'], $case['index'], $case['width']);
                self::assertSame($case['path'], "tile/$path");
            }
        }
    }

    public function testFollowsALogThatGrows(): void
    {
        $log = self::log();
        $saved = null;
        // 600 leaves are those of the vectors.
        foreach ([1, 2, 255, 256, 257, 600] as $size) {
            $log->size = $size;
            $client = $log->client();
            $new = $saved === null ? $client->log->checkpoint($log->key) : $client->log->follow($saved);
            self::assertSame($size, $new->size);
            $saved = Checkpoint::load($new->note, $new->key);
        }
        self::assertSame(vectors('tiles.json')['tree']['root'], bin2hex($saved->root));
        self::assertSame($saved->size, $log->client()->log->follow($saved)->size);
    }

    public function testTellsALogThatWentBackFromOneThatForked(): void
    {
        $log = self::log();
        $saved = $log->client()->log->checkpoint($log->key);
        $told = static function () use ($log, $saved): string {
            try {
                $log->client()->log->follow($saved);
                return 'nothing';
            } catch (LogError $error) {
                return $error->reason;
            }
        };
        $log->size = 599;
        self::assertSame(LogError::WENT_BACK, $told());
        $log->size = 700;
        self::assertSame('nothing', $told());
        // One entry that the saved checkpoint holds is another now.
        $log->other = 300;
        self::assertSame(LogError::FORKED, $told());
        $log->size = 600;
        self::assertSame(LogError::FORKED, $told());
        $log->other = null;
        $log->signer = sodium_crypto_sign_secretkey(sodium_crypto_sign_keypair());
        self::assertSame(LogError::BAD_SIGNATURE, $told());
    }

    public function testAKeyThatCannotBeOneIsRefusedBeforeAnyRequest(): void
    {
        $log = self::log();
        foreach (['', 'log', vectors('notes.json')['witness_key']] as $key) {
            try {
                $log->client()->log->checkpoint($key);
                self::fail($key);
            } catch (ConfigurationError) {
                self::assertSame(0, $log->asked);
            }
        }
    }

    /** A log in memory, of the entries of the vectors. */
    private static function log(): Transport
    {
        return new class implements Transport {
            private const ORIGIN = 'log.example/acuse';
            public int $size = 600;
            public ?int $other = null;
            public int $asked = 0;
            public string $key;
            public string $signer;
            private string $id;

            public function __construct()
            {
                $pair = sodium_crypto_sign_keypair();
                $this->signer = sodium_crypto_sign_secretkey($pair);
                $material = "\1" . sodium_crypto_sign_publickey($pair);
                $this->id = substr(hash('sha256', self::ORIGIN . "\n$material", true), 0, 4);
                $this->key = self::ORIGIN . '+' . bin2hex($this->id) . '+' . base64_encode($material);
            }

            public function client(): Client
            {
                return new Client('acuse_a_b', 'http://localhost', transport: $this);
            }

            public function request(Attempt $attempt): Reply
            {
                $this->asked++;
                $path = substr(parse_url($attempt->url, PHP_URL_PATH), strlen('/log/'));
                return new Reply(200, [], $path === 'checkpoint' ? $this->checkpoint() : $this->tile($path));
            }

            public function close(): void
            {
            }

            private function checkpoint(): string
            {
                $text = self::ORIGIN . "\n$this->size\n" . base64_encode($this->hash(0, $this->size)) . "\n";
                $signature = sodium_crypto_sign_detached($text, $this->signer);
                return "$text\n— " . self::ORIGIN . ' ' . base64_encode($this->id . $signature) . "\n";
            }

            private function tile(string $path): string
            {
                [, $level, $index, $width] = sscanf($path, '%[a-z]/%d/%d.p/%d');
                $unit = 256 ** $level;
                $hashes = '';
                for ($at = 0; $at < ($width ?? 256); $at++) {
                    $hashes .= $this->hash((256 * $index + $at) * $unit, (256 * $index + $at + 1) * $unit);
                }
                return $hashes;
            }

            /** RFC 6962 §2.1, as it is written. */
            private function hash(int $start, int $end): string
            {
                if ($end - $start === 1) {
                    $text = $start === $this->other ? 'another' : "entry $start";
                    return hash('sha256', "\0" . hash('sha256', $text, true), true);
                }
                $half = 1;
                while (2 * $half < $end - $start) {
                    $half *= 2;
                }
                $pair = $this->hash($start, $start + $half) . $this->hash($start + $half, $end);
                return hash('sha256', "\1$pair", true);
            }
        };
    }
}
