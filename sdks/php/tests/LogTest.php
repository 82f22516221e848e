<?php

declare(strict_types=1);

use Acuse\Checkpoint;
use Acuse\Errors\ConfigurationError;
use Acuse\Internal\Evidence\Ed25519;
use Acuse\Internal\Evidence\LogProof;
use Acuse\Internal\Evidence\Merkle;
use Acuse\Internal\Evidence\Note;
use Acuse\Internal\Evidence\NoteProblem;
use Acuse\Internal\Evidence\PromiseText;
use Acuse\Internal\Evidence\TileTree;
use Acuse\Internal\Evidence\TreeHead;
use Acuse\Internal\Evidence\VerifierKey;
use PHPUnit\Framework\TestCase;

/** The log: signatures, notes, trees and tiles against contract/vectors. Scenario 59 follows one. */
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

    public function testWhiteSpaceAroundAPinnedKeyIsNoPartOfIt(): void
    {
        ['log_key' => $key, 'witness_key' => $witness, 'cases' => $cases] = vectors('notes.json');
        $note = $cases[array_search('checkpoint', array_column($cases, 'kind'), true)]['note'];
        foreach (['', ' ', "\t", "\n", "\r\n", " \t\r\n"] as $around) {
            $checkpoint = Checkpoint::load($note, $around . $key . $around);
            self::assertSame([100, $key], [$checkpoint->size, $checkpoint->key]);
        }
        $within = str_replace('+', '+ ', $key);
        foreach (['', " \r\n", $within, "$key\n$key", "$key\u{a0}", "$key\0", "$key\v", $witness] as $wrong) {
            try {
                Checkpoint::load($note, $wrong);
                self::fail('taken: ' . json_encode($wrong));
            } catch (ConfigurationError $error) {
                self::assertStringContainsString('name+id+base64', $error->getMessage());
            }
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
}
