<?php

declare(strict_types=1);

namespace Acuse\Internal\Evidence;

/** Where the log has an entry, in a checkpoint of the bundle. @internal */
final readonly class Leaf
{
    /** @param string $entry the canonical hash */
    public function __construct(
        public string $entry,
        public int $index,
        public TreeHead $tree,
    ) {
    }
}
