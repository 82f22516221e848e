"""The log's tree and its tiles: RFC 6962 §2.1 over SHA-256, C2SP tlog-tiles of height 8."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

TILE_WIDTH = 256


def leaf_hash(entry: bytes) -> bytes:
    """Of an entry."""
    return hashlib.sha256(b"\0" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Of two subtrees."""
    return hashlib.sha256(b"\1" + left + right).digest()


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The root of a tree of at least one leaf, from the hashes of its leaves."""
    if len(leaves) == 1:
        return leaves[0]
    middle = _split(len(leaves))
    return node_hash(root_of(leaves[:middle]), root_of(leaves[middle:]))


def is_included(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Does the path lead from the leaf to the root, in exactly as many steps as it takes?"""
    if not 0 <= index < size:
        return False
    node, position, last = leaf, index, size - 1
    for sibling in path:
        if last == 0 or len(sibling) != 32:
            return False
        if position % 2 or position == last:
            node = node_hash(sibling, node)
            while position % 2 == 0 and position:
                position, last = position // 2, last // 2
        else:
            node = node_hash(node, sibling)
        position, last = position // 2, last // 2
    return last == 0 and node == root


def is_consistent(old: int, old_root: bytes, new: int, new_root: bytes, path: Sequence[bytes]) -> bool:
    """Is the tree of ``new`` leaves a continuation of that of ``old``? RFC 6962 §2.1.2"""
    if any(len(each) != 32 for each in path) or not 0 <= old <= new:
        return False
    if old == new:
        return not path and old_root == new_root
    if old == 0:
        return not path and old_root == hashlib.sha256().digest()
    steps = list(path)
    if old & (old - 1) == 0:
        steps.insert(0, old_root)
    if not steps:
        return False
    position, last = old - 1, new - 1
    while position % 2:
        position, last = position // 2, last // 2
    first = second = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if position % 2 or position == last:
            first, second = node_hash(step, first), node_hash(step, second)
            while position % 2 == 0 and position:
                position, last = position // 2, last // 2
        else:
            second = node_hash(second, step)
        position, last = position // 2, last // 2
    return last == 0 and first == old_root and second == new_root


def tile_path(level: int, index: int, width: int) -> str:
    """Below /log/tile/: ``0/x001/234.p/7``."""
    text = f"{index % 1000:03}"
    rest = index // 1000
    while rest:
        text = f"x{rest % 1000:03}/{text}"
        rest //= 1000
    return f"{level}/{text}" if width == TILE_WIDTH else f"{level}/{text}.p/{width}"


Tile = tuple[int, int, int]
"""Level, index, width."""
ReadTile = Callable[[Tile], bytes]


def tile_width(level: int, index: int, size: int) -> int:
    """The width of a tile in a tree of ``size`` leaves; 0 if there is no such tile."""
    return max(0, min(TILE_WIDTH, (size >> 8 * level) - index * TILE_WIDTH))


class TileTree:
    """Hashes of subtrees, out of tiles."""

    def __init__(self, size: int, read: ReadTile) -> None:
        self._size, self._read = size, read

    def range(self, start: int, end: int) -> bytes:
        """The hash of the leaves from ``start`` to ``end``, which are a subtree of some proof."""
        node: bytes | None = None
        at = end
        while at > start:
            leaves = (at - start) & -(at - start)
            perfect = self._perfect(at - leaves, leaves)
            node = perfect if node is None else node_hash(perfect, node)
            at -= leaves
        return hashlib.sha256().digest() if node is None else node

    def _perfect(self, start: int, leaves: int) -> bytes:
        level = (leaves.bit_length() - 1) // 8
        unit = TILE_WIDTH**level
        index, first, count = start // unit // TILE_WIDTH, start // unit % TILE_WIDTH, leaves // unit
        tile = self._read((level, index, tile_width(level, index, self._size)))
        hashes = [tile[at * 32 : at * 32 + 32] for at in range(first, first + count)]
        while len(hashes) > 1:
            hashes = [node_hash(*hashes[at : at + 2]) for at in range(0, len(hashes), 2)]
        return hashes[0]

    def inclusion(self, index: int) -> list[bytes]:
        """RFC 6962 §2.1.1"""
        path = []
        start, end = 0, self._size
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                path.append((middle, end))
                end = middle
            else:
                path.append((start, middle))
                start = middle
        return [self.range(*each) for each in reversed(path)]

    def consistency(self, old: int) -> list[bytes]:
        """RFC 6962 §2.1.2"""
        if old in (0, self._size):
            return []
        path = []
        start, end, whole = 0, self._size, True
        while old != end:
            middle = start + _split(end - start)
            if old <= middle:
                path.append((middle, end))
                end = middle
            else:
                path.append((start, middle))
                start, whole = middle, False
        if not whole:
            path.append((start, end))
        return [self.range(*each) for each in reversed(path)]


def _split(size: int) -> int:
    """The largest power of two below ``size``."""
    return 1 << ((size - 1).bit_length() - 1)


def tiles_of(size: int, walk: Callable[[TileTree], object]) -> list[Tile]:
    """The tiles that a walk will read."""
    wanted: dict[Tile, None] = {}

    def note(tile: Tile) -> bytes:
        wanted[tile] = None
        return bytes(TILE_WIDTH * 32)

    walk(TileTree(size, note))
    return list(wanted)
