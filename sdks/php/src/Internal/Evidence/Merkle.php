<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** The log's tree: RFC 6962 §2.1 over SHA-256. @internal */
final class Merkle
{
    public const HASH_BYTES = 32;

    public static function leafHash(string $entry): string
    {
        return hash('sha256', "\0$entry", true);
    }

    public static function nodeHash(string $left, string $right): string
    {
        return hash('sha256', "\1$left$right", true);
    }

    /**
     * Of a tree of at least one leaf.
     * @param list<string> $leaves their hashes
     */
    public static function rootOf(array $leaves): string
    {
        $count = count($leaves);
        if ($count === 1) {
            return $leaves[0];
        }
        $left = 1;
        while (2 * $left < $count) {
            $left *= 2;
        }
        return self::nodeHash(
            self::rootOf(array_slice($leaves, 0, $left)),
            self::rootOf(array_slice($leaves, $left)),
        );
    }

    public static function emptyRoot(): string
    {
        return hash('sha256', '', true);
    }

    /**
     * True if the path leads from the leaf to the root, in exactly as many steps as it takes.
     * @param list<string> $path
     */
    public static function isIncluded(string $leaf, int $index, int $size, array $path, string $root): bool
    {
        if ($index < 0 || $index >= $size) {
            return false;
        }
        $node = $leaf;
        [$position, $last] = [$index, $size - 1];
        foreach ($path as $sibling) {
            if ($last === 0 || strlen($sibling) !== self::HASH_BYTES) {
                return false;
            }
            if ($position % 2 === 1 || $position === $last) {
                $node = self::nodeHash($sibling, $node);
                [$position, $last] = self::up($position, $last);
            } else {
                $node = self::nodeHash($node, $sibling);
            }
            [$position, $last] = [$position >> 1, $last >> 1];
        }
        return $last === 0 && $node === $root;
    }

    /**
     * True if the tree of `new` leaves continues that of `old`. RFC 6962 §2.1.2
     * @param list<string> $path
     */
    public static function isConsistent(int $old, string $oldRoot, int $new, string $newRoot, array $path): bool
    {
        foreach ($path as $each) {
            if (strlen($each) !== self::HASH_BYTES) {
                return false;
            }
        }
        if ($old < 0 || $old > $new) {
            return false;
        }
        if ($old === $new || $old === 0) {
            return $path === [] && $oldRoot === ($old === $new ? $newRoot : self::emptyRoot());
        }
        if (($old & ($old - 1)) === 0) {
            array_unshift($path, $oldRoot);
        }
        return $path !== [] && self::leadsToBoth($old, $oldRoot, $new, $newRoot, $path);
    }

    private static function leadsToBoth(int $old, string $oldRoot, int $new, string $newRoot, array $path): bool
    {
        [$position, $last] = [$old - 1, $new - 1];
        while ($position % 2 === 1) {
            [$position, $last] = [$position >> 1, $last >> 1];
        }
        $first = $second = array_shift($path);
        foreach ($path as $step) {
            if ($last === 0) {
                return false;
            }
            if ($position % 2 === 1 || $position === $last) {
                [$first, $second] = [self::nodeHash($step, $first), self::nodeHash($step, $second)];
                [$position, $last] = self::up($position, $last);
            } else {
                $second = self::nodeHash($second, $step);
            }
            [$position, $last] = [$position >> 1, $last >> 1];
        }
        return $last === 0 && $first === $oldRoot && $second === $newRoot;
    }

    /** Levels at which the node is the last and alone are skipped. */
    private static function up(int $position, int $last): array
    {
        while ($position % 2 === 0 && $position !== 0) {
            [$position, $last] = [$position >> 1, $last >> 1];
        }
        return [$position, $last];
    }
}
