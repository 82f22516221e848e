//! DEFLATE (RFC 1951), as strict as zlib: sets of codes that are over-subscribed or incomplete, distances before
//! the first byte and data after the last block are refused. A lenient decoder reads what others call damaged.

const CODE_BITS_MAX: usize = 15;
/// Codes of so many bits are found by one look into a table.
const FAST_BITS: usize = 9;
const END_OF_BLOCK: usize = 256;
const LITERALS_MAX: usize = 286;
const DISTANCES_MAX: usize = 30;
/// RFC 1951 §3.2.7
const ORDER_OF_LENGTHS: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// RFC 1951 §3.2.5: of symbols from 257, and the bits behind each.
const LENGTHS: [(usize, usize); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];
const DISTANCES: [(usize, usize); 30] = [
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 1),
    (7, 1),
    (9, 2),
    (13, 2),
    (17, 3),
    (25, 3),
    (33, 4),
    (49, 4),
    (65, 5),
    (97, 5),
    (129, 6),
    (193, 6),
    (257, 7),
    (385, 7),
    (513, 8),
    (769, 8),
    (1025, 9),
    (1537, 9),
    (2049, 10),
    (3073, 10),
    (4097, 11),
    (6145, 11),
    (8193, 12),
    (12289, 12),
    (16385, 13),
    (24577, 13),
];

/// The `size` bytes that are compressed in all of `packed`; None: it is damaged, or of another size.
pub(super) fn inflate(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut bits = Bits { bytes: packed, at: 0, held: 0, count: 0 };
    let mut out = Vec::with_capacity(size);
    loop {
        let is_last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => copy_stored(&mut bits, &mut out, size)?,
            1 => {
                let of = |symbol| match symbol {
                    0..=143 | 280.. => 8,
                    144..=255 => 9,
                    256..=279 => 7,
                };
                let literals: Vec<u8> = (0..288_u16).map(of).collect();
                decode(
                    &mut bits,
                    &mut out,
                    size,
                    &Codes::of(&literals, false)?,
                    &Codes::of(&[5; 32], false)?,
                )?;
            }
            2 => {
                let (literals, distances) = read_codes(&mut bits)?;
                decode(&mut bits, &mut out, size, &literals, &distances)?;
            }
            _ => return None,
        }
        if is_last {
            return (out.len() == size && bits.is_at_end()).then_some(out);
        }
    }
}

/// The lowest bit of each byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    held: u32,
    count: usize,
}

impl Bits<'_> {
    fn fill(&mut self, count: usize) {
        while self.count < count {
            let Some(byte) = self.bytes.get(self.at) else { return };
            self.held |= u32::from(*byte) << self.count;
            self.at += 1;
            self.count += 8;
        }
    }

    fn drop(&mut self, count: usize) {
        self.held >>= count;
        self.count -= count;
    }

    /// The next `count` bits (at most 16), the first of them lowest.
    fn take(&mut self, count: usize) -> Option<usize> {
        self.fill(count);
        if self.count < count {
            return None;
        }
        let value = self.held & ((1 << count) - 1);
        self.drop(count);
        Some(value as usize)
    }

    fn symbol(&mut self, codes: &Codes) -> Option<usize> {
        self.fill(CODE_BITS_MAX);
        let (symbol, length) = codes.fast[self.held as usize & ((1 << FAST_BITS) - 1)];
        if length > 0 && usize::from(length) <= self.count {
            self.drop(usize::from(length));
            return Some(usize::from(symbol));
        }
        let (mut code, mut first, mut index) = (0_usize, 0_usize, 0_usize);
        for bit in 1..=CODE_BITS_MAX.min(self.count) {
            code |= (self.held >> (bit - 1)) as usize & 1;
            let count = codes.counts[bit];
            if code < first + count {
                self.drop(bit);
                return codes.symbols.get(index + code - first).map(|symbol| usize::from(*symbol));
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }

    /// Whole bytes, from the next one that no bit was taken of.
    fn whole(&mut self, count: usize) -> Option<&[u8]> {
        self.at -= self.count / 8;
        (self.held, self.count) = (0, 0);
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    /// True: what is left are bits of the last byte.
    fn is_at_end(&self) -> bool {
        self.at - self.count / 8 == self.bytes.len()
    }
}

fn copy_stored(bits: &mut Bits, out: &mut Vec<u8>, size: usize) -> Option<()> {
    let &[low, high, not_low, not_high] = bits.whole(4)? else { return None };
    if low != !not_low || high != !not_high {
        return None;
    }
    let content = bits.whole(usize::from(u16::from_le_bytes([low, high])))?;
    if out.len() + content.len() > size {
        return None;
    }
    out.extend_from_slice(content);
    Some(())
}

fn decode(
    bits: &mut Bits,
    out: &mut Vec<u8>,
    size: usize,
    literals: &Codes,
    distances: &Codes,
) -> Option<()> {
    loop {
        match bits.symbol(literals)? {
            END_OF_BLOCK => return Some(()),
            symbol if symbol < END_OF_BLOCK => {
                if out.len() == size {
                    return None;
                }
                out.push(u8::try_from(symbol).ok()?);
            }
            symbol => {
                let (from, extra) = *LENGTHS.get(symbol - END_OF_BLOCK - 1)?;
                let length = from + bits.take(extra)?;
                let symbol = bits.symbol(distances)?;
                let (from, extra) = *DISTANCES.get(symbol)?;
                let start = out.len().checked_sub(from + bits.take(extra)?)?;
                if out.len() + length > size {
                    return None;
                }
                // They may be among those that this writes.
                for at in start..start + length {
                    out.push(out[at]);
                }
            }
        }
    }
}

/// RFC 1951 §3.2.7
fn read_codes(bits: &mut Bits) -> Option<(Codes, Codes)> {
    let literals = bits.take(5)? + 257;
    let distances = bits.take(5)? + 1;
    if literals > LITERALS_MAX || distances > DISTANCES_MAX {
        return None;
    }
    let mut of_lengths = [0; 19];
    let given = bits.take(4)? + 4;
    for at in &ORDER_OF_LENGTHS[..given] {
        of_lengths[*at] = u8::try_from(bits.take(3)?).ok()?;
    }
    let codes = Codes::of(&of_lengths, false)?;
    let lengths = read_lengths(bits, &codes, literals + distances)?;
    if lengths[END_OF_BLOCK] == 0 {
        return None;
    }
    let (literals, distances) = lengths.split_at(literals);
    Some((Codes::of(literals, true)?, Codes::of(distances, true)?))
}

fn read_lengths(bits: &mut Bits, codes: &Codes, count: usize) -> Option<Vec<u8>> {
    let mut lengths = Vec::with_capacity(count);
    while lengths.len() < count {
        let (length, times) = match bits.symbol(codes)? {
            16 => (*lengths.last()?, 3 + bits.take(2)?),
            17 => (0, 3 + bits.take(3)?),
            18 => (0, 11 + bits.take(7)?),
            symbol => (u8::try_from(symbol).ok()?, 1),
        };
        lengths.extend(std::iter::repeat_n(length, times));
    }
    (lengths.len() == count).then_some(lengths)
}

/// Canonical codes: how many there are of each length, and their symbols in order.
struct Codes {
    counts: [usize; CODE_BITS_MAX + 1],
    symbols: Vec<u16>,
    /// By the next bits: symbol and length, or 0.
    fast: Vec<(u16, u8)>,
}

impl Codes {
    /// Each sequence of bits must be a code or begin with one, as zlib has it: only a set without codes, or,
    /// where `lone_allowed`, one whose longest code has one bit, may leave sequences that are none.
    fn of(lengths: &[u8], lone_allowed: bool) -> Option<Self> {
        let mut counts = [0; CODE_BITS_MAX + 1];
        for length in lengths.iter().filter(|length| **length > 0) {
            counts[usize::from(*length)] += 1;
        }
        let (mut left, mut longest) = (1_usize, 0);
        let (mut from, mut next) = ([0_usize; CODE_BITS_MAX + 2], [0_usize; CODE_BITS_MAX + 2]);
        for bit in 1..=CODE_BITS_MAX {
            left = (left * 2).checked_sub(counts[bit])?;
            if counts[bit] > 0 {
                longest = bit;
            }
            from[bit + 1] = from[bit] + counts[bit];
            next[bit + 1] = (next[bit] + counts[bit]) << 1;
        }
        if left > 0 && longest != 0 && !(lone_allowed && longest == 1) {
            return None;
        }
        let mut symbols = vec![0; lengths.len()];
        let mut fast = vec![(0, 0); 1 << FAST_BITS];
        for (symbol, length) in (0_u16..).zip(lengths).filter(|(_, length)| **length > 0) {
            let bits = usize::from(*length);
            symbols[from[bits]] = symbol;
            from[bits] += 1;
            let code = next[bits];
            next[bits] += 1;
            if bits <= FAST_BITS {
                let reversed = (0..bits).fold(0, |all, bit| all | (((code >> bit) & 1) << (bits - 1 - bit)));
                fast.iter_mut().skip(reversed).step_by(1 << bits).for_each(|each| *each = (symbol, *length));
            }
        }
        Some(Self { counts, symbols, fast })
    }
}
