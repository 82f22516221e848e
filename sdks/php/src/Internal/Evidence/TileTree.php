<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** Hashes of subtrees, out of tiles of height 8 (C2SP tlog-tiles). @internal */
final class TileTree
{
    public const WIDTH = 256;
    private const HEIGHT = 8;

    /** @param \Closure(int $level, int $index, int $width): string $read a tile's hashes, one behind the other */
    public function __construct(private readonly int $size, private readonly \Closure $read)
    {
    }

    /** Below /log/tile/: `0/x001/234.p/7`. */
    public static function path(int $level, int $index, int $width): string
    {
        $text = sprintf('%03d', $index % 1_000);
        for ($rest = intdiv($index, 1_000); $rest > 0; $rest = intdiv($rest, 1_000)) {
            $text = sprintf('x%03d/%s', $rest % 1_000, $text);
        }
        return "$level/$text" . ($width === self::WIDTH ? '' : ".p/$width");
    }

    /**
     * RFC 6962 §2.1.1
     * @return list<string>
     */
    public function inclusion(int $index): array
    {
        $path = [];
        [$start, $end] = [0, $this->size];
        while ($end - $start > 1) {
            $middle = $start + self::split($end - $start);
            if ($index < $middle) {
                $path[] = [$middle, $end];
                $end = $middle;
            } else {
                $path[] = [$start, $middle];
                $start = $middle;
            }
        }
        return $this->hashesOf($path);
    }

    /**
     * RFC 6962 §2.1.2
     * @return list<string>
     */
    public function consistency(int $old): array
    {
        if ($old === 0 || $old === $this->size) {
            return [];
        }
        $path = [];
        [$start, $end, $whole] = [0, $this->size, true];
        while ($old !== $end) {
            $middle = $start + self::split($end - $start);
            if ($old <= $middle) {
                $path[] = [$middle, $end];
                $end = $middle;
            } else {
                $path[] = [$start, $middle];
                [$start, $whole] = [$middle, false];
            }
        }
        if (!$whole) {
            $path[] = [$start, $end];
        }
        return $this->hashesOf($path);
    }

    /** @param list<array{int, int}> $ranges */
    private function hashesOf(array $ranges): array
    {
        return array_map(fn (array $range): string => $this->range(...$range), array_reverse($ranges));
    }

    /** The hash of the leaves from `start` to `end`, which are a subtree of some proof. */
    private function range(int $start, int $end): string
    {
        $node = null;
        for ($at = $end; $at > $start; $at -= $leaves) {
            $leaves = ($at - $start) & -($at - $start);
            $perfect = $this->perfect($at - $leaves, $leaves);
            $node = $node === null ? $perfect : Merkle::nodeHash($perfect, $node);
        }
        return $node ?? Merkle::emptyRoot();
    }

    /** The hash of a complete subtree of 2^n leaves. */
    private function perfect(int $start, int $leaves): string
    {
        $level = intdiv(self::log2($leaves), self::HEIGHT);
        $unit = self::WIDTH ** $level;
        $index = intdiv(intdiv($start, $unit), self::WIDTH);
        $first = intdiv($start, $unit) % self::WIDTH;
        $width = min(self::WIDTH, ($this->size >> self::HEIGHT * $level) - $index * self::WIDTH);
        $tile = ($this->read)($level, $index, $width);
        $part = substr($tile, $first * Merkle::HASH_BYTES, intdiv($leaves, $unit) * Merkle::HASH_BYTES);
        $hashes = str_split($part, Merkle::HASH_BYTES);
        while (count($hashes) > 1) {
            $pairs = array_chunk($hashes, 2);
            $hashes = array_map(static fn (array $pair): string => Merkle::nodeHash(...$pair), $pairs);
        }
        return $hashes[0];
    }

    /** The largest power of two below `size`. */
    private static function split(int $size): int
    {
        return 1 << self::log2($size - 1);
    }

    private static function log2(int $number): int
    {
        return strlen(decbin($number)) - 1;
    }
}
