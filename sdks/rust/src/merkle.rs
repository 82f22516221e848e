//! The log's tree and its tiles: RFC 6962 §2.1 over SHA-256, C2SP tlog-tiles of height 8.

use ring::digest::{digest, SHA256};

pub(crate) type Hash = [u8; 32];

const TILE_HEIGHT: u32 = 8;
const TILE_WIDTH: u64 = 1 << TILE_HEIGHT;
const HASH_SIZE: usize = 32;

pub(crate) fn sha256(data: &[u8]) -> Hash {
    let mut hash = [0; HASH_SIZE];
    hash.copy_from_slice(digest(&SHA256, data).as_ref());
    hash
}

pub(crate) fn leaf_hash(entry: &[u8]) -> Hash {
    sha256(&[&[0], entry].concat())
}

pub(crate) fn node_hash(left: &Hash, right: &Hash) -> Hash {
    sha256(&[&[1], &left[..], &right[..]].concat())
}

/// The root of a tree of these entries.
pub(crate) fn root_of(entries: &[Vec<u8>]) -> Hash {
    match entries {
        [] => sha256(b""),
        [entry] => leaf_hash(entry),
        _ => {
            let (left, right) = entries.split_at(entries.len().next_power_of_two() / 2);
            node_hash(&root_of(left), &root_of(right))
        }
    }
}

/// True if the path leads from the leaf to the root, in exactly as many steps as it takes.
pub(crate) fn is_included(leaf: Hash, index: u64, size: u64, path: &[Hash], root: &Hash) -> bool {
    if index >= size {
        return false;
    }
    let (mut node, mut position, mut last) = (leaf, index, size - 1);
    for sibling in path {
        if last == 0 {
            return false;
        }
        if position % 2 == 1 || position == last {
            node = node_hash(sibling, &node);
            while position % 2 == 0 && position > 0 {
                (position, last) = (position / 2, last / 2);
            }
        } else {
            node = node_hash(&node, sibling);
        }
        (position, last) = (position / 2, last / 2);
    }
    last == 0 && node == *root
}

/// True if the tree of `new` leaves continues that of `old` (RFC 6962 §2.1.2).
pub(crate) fn is_consistent(old: u64, old_root: &Hash, new: u64, new_root: &Hash, path: &[Hash]) -> bool {
    if old > new {
        return false;
    }
    if old == new {
        return path.is_empty() && old_root == new_root;
    }
    if old == 0 {
        return path.is_empty() && *old_root == sha256(b"");
    }
    let mut steps = path.to_vec();
    if old.is_power_of_two() {
        steps.insert(0, *old_root);
    }
    let Some((start, steps)) = steps.split_first() else {
        return false;
    };
    let (mut position, mut last) = (old - 1, new - 1);
    while position % 2 == 1 {
        (position, last) = (position / 2, last / 2);
    }
    let (mut was, mut is) = (*start, *start);
    for step in steps {
        if last == 0 {
            return false;
        }
        if position % 2 == 1 || position == last {
            was = node_hash(step, &was);
            is = node_hash(step, &is);
            while position % 2 == 0 && position > 0 {
                (position, last) = (position / 2, last / 2);
            }
        } else {
            is = node_hash(&is, step);
        }
        (position, last) = (position / 2, last / 2);
    }
    last == 0 && was == *old_root && is == *new_root
}

/// The tile of a level that has these hashes: its path below `/log/tile/`, as `0/x001/234.p/7`.
pub(crate) fn tile_path(level: u32, index: u64, size: u64) -> String {
    let mut text = format!("{:03}", index % 1000);
    let mut rest = index / 1000;
    while rest > 0 {
        text = format!("x{:03}/{text}", rest % 1000);
        rest /= 1000;
    }
    let width = (size >> (TILE_HEIGHT * level)).saturating_sub(index * TILE_WIDTH);
    if width < TILE_WIDTH {
        format!("{level}/{text}.p/{width}")
    } else {
        format!("{level}/{text}")
    }
}

/// Hashes of perfect subtrees: of 2^height leaves, the index-th from the left.
pub(crate) trait Subtrees {
    type Fault;
    fn hash(&mut self, height: u32, index: u64) -> Result<Hash, Self::Fault>;
}

/// Level, index of the tile, and the hashes of it that a subtree is made of.
pub(crate) fn place_of(height: u32, index: u64) -> (u32, u64, std::ops::Range<usize>) {
    let (level, rest) = (height / TILE_HEIGHT, height % TILE_HEIGHT);
    let first = index << rest;
    let at = usize::try_from(first % TILE_WIDTH).unwrap_or_default();
    (level, first / TILE_WIDTH, at..at + (1 << rest))
}

/// The hash over some hashes of a tile; None: the tile is too short.
pub(crate) fn fold(tile: &[u8], hashes: std::ops::Range<usize>) -> Option<Hash> {
    let bytes = tile.get(hashes.start * HASH_SIZE..hashes.end * HASH_SIZE)?;
    let mut nodes: Vec<Hash> = bytes.chunks(HASH_SIZE).filter_map(|each| each.try_into().ok()).collect();
    while nodes.len() > 1 {
        nodes = nodes.chunks(2).map(|pair| node_hash(&pair[0], &pair[pair.len() - 1])).collect();
    }
    nodes.first().copied()
}

/// The largest power of two below a size.
fn split(size: u64) -> u64 {
    1 << (63 - (size - 1).leading_zeros())
}

fn root<S: Subtrees>(from: &mut S, start: u64, count: u64) -> Result<Hash, S::Fault> {
    if count.is_power_of_two() {
        let height = count.trailing_zeros();
        return from.hash(height, start >> height);
    }
    let left = split(count);
    let one = root(from, start, left)?;
    let other = root(from, start + left, count - left)?;
    Ok(node_hash(&one, &other))
}

/// RFC 6962 §2.1.1
pub(crate) fn inclusion_path<S: Subtrees>(
    index: u64,
    size: u64,
    from: &mut S,
) -> Result<Vec<Hash>, S::Fault> {
    let mut path = Vec::new();
    let (mut start, mut end) = (0, size);
    while end - start > 1 {
        let middle = start + split(end - start);
        if index < middle {
            path.push(root(from, middle, end - middle)?);
            end = middle;
        } else {
            path.push(root(from, start, middle - start)?);
            start = middle;
        }
    }
    path.reverse();
    Ok(path)
}

/// RFC 6962 §2.1.2
pub(crate) fn consistency_path<S: Subtrees>(
    old: u64,
    size: u64,
    from: &mut S,
) -> Result<Vec<Hash>, S::Fault> {
    let mut path = Vec::new();
    let (mut start, mut end, mut is_whole) = (0, size, true);
    while old != end {
        let middle = start + split(end - start);
        if old <= middle {
            path.push(root(from, middle, end - middle)?);
            end = middle;
        } else {
            path.push(root(from, start, middle - start)?);
            start = middle;
            is_whole = false;
        }
    }
    if !is_whole {
        path.push(root(from, start, end - start)?);
    }
    path.reverse();
    Ok(path)
}
