//! What the probes of `kernels/machine.cl` leave behind, computed on the host: what `out`
//! begins with, as bytes. A step that was left out, or read another word, changes it.

/// Steps that a kernel writes out in each iteration of its loop.
pub const UNROLL: i32 = 16;
/// Loads of an item in a step of `sweep`.
pub const LOADS: usize = 4;

/// `words` indices: one in each `line` words leads to another line, and the chain comes
/// through all lines before it is back at 0. In random order, so that nothing is fetched
/// ahead. Sattolo's algorithm makes one cycle out of all.
pub fn cycle(words: usize, line: usize) -> Vec<i32> {
    let mut order: Vec<usize> = (0..words / line).collect();
    let mut random: u64 = 1;
    for i in (1..order.len()).rev() {
        // Knuth's linear congruential generator; its high bits are the random ones.
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(i, (random >> 33) as usize % i);
    }
    let mut next = vec![0; words];
    for (from, to) in order.into_iter().enumerate() {
        next[from * line] = (to * line) as i32;
    }
    next
}

/// Where `steps` steps from 0 lead.
pub fn chase(next: &[i32], steps: usize) -> Vec<u8> {
    let end = (0..steps).fold(0, |at, _| next[at as usize]);
    end.to_le_bytes().to_vec()
}

/// Where each item stands: 33 words further at each step, of 2048.
pub fn chase_local(items: i32, steps: i32) -> Vec<u8> {
    le((0..items).map(|item| (item + 33 * steps) % 2048))
}

/// The first word's sum, of blocks of 4 loads of `apart` words each; word i holds i.
pub fn sweep([blocks, apart]: [usize; 2], scatter: i32, steps: i32) -> Vec<u8> {
    let mut sum = 0u32;
    for i in 0..steps {
        let block = i.wrapping_mul(scatter) as u32 as usize % blocks;
        for u in 0..LOADS {
            sum = sum.wrapping_add(((block * LOADS + u) * apart) as u32);
        }
    }
    sum.to_le_bytes().to_vec()
}

/// The sum of all chains: each began at its number, and every step added 1.
pub fn chain(chains: usize, steps: i32) -> Vec<u8> {
    let numbers = 0..chains as i32;
    let all: i32 = numbers.map(|c| c + steps).sum();
    (all as f32).to_le_bytes().to_vec()
}

/// What the first 32 items summed, of so many words at a time.
pub fn local_read(words: usize, [row, high]: [usize; 2], steps: i32) -> Vec<u8> {
    le((0..32).map(|lane| {
        let mut sum = 0u32;
        for step in 0..steps as usize {
            let (i, u) = (step / UNROLL as usize, step % UNROLL as usize);
            let round = 32 / words;
            let at = lane % high * row + lane / high + i % round + round * u;
            for word in words * at..words * (at + 1) {
                sum = sum.wrapping_add(word as u32);
            }
        }
        sum as i32
    }))
}

/// What the first 64 items computed, each in its branch: two warps.
pub fn branch(mask: i32, steps: i32) -> Vec<u8> {
    let step = |n: u32, _| (n ^ mask as u32).wrapping_mul(3).wrapping_add(steps as u32);
    let second = (0..steps).fold(0, step) & 0xffff;
    let of = |item: i32| match (item + 32) & mask {
        0 => second as f32,
        _ => steps as f32,
    };
    (0..64).flat_map(|item| of(item).to_le_bytes()).collect()
}

fn le(words: impl Iterator<Item = i32>) -> Vec<u8> {
    words.flat_map(i32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_comes_through_every_line_before_it_is_back() {
        let next = cycle(64 * 16, 16);
        let mut at = 0;
        for step in 1..=64 {
            at = next[at] as usize;
            assert_eq!(at == 0, step == 64, "step {step}");
        }
    }

    #[test]
    fn items_sum_the_words_that_the_kernel_reads() {
        let first = |bytes: Vec<u8>| bytes[..8].to_vec();
        // Item 0: words 0, 32, ... 480 in the first iteration, each one more in the second;
        // item 1 the next row of the tile.
        let row = |sum: i32, further: i32| le([sum, sum + further].into_iter());
        let sum = 32 * 120;
        assert_eq!(first(local_read(1, [33, 32], 16)), row(sum, 16 * 33));
        assert_eq!(
            first(local_read(1, [33, 32], 32)),
            row(2 * sum + 16, 32 * 33)
        );
        // Words 0 to 3 of each vector.
        assert_eq!(
            first(local_read(4, [9, 32], 16)),
            row(4 * sum + 16 * 6, 64 * 36)
        );
    }

    #[test]
    fn a_sweep_comes_back_to_the_beginning() {
        // Two blocks of four loads, 8 words apart: 0, 8, ... 56.
        assert_eq!(sweep([2, 8], 1, 2), 224u32.to_le_bytes());
        assert_eq!(sweep([2, 8], 1, 4), 448u32.to_le_bytes());
        // In another order it comes through all blocks as well.
        let all = sweep([64, 8], 1, 64);
        assert_eq!(sweep([64, 8], 0x9e37_79b9_u32 as i32, 64), all);
    }

    #[test]
    fn each_item_takes_its_branch() {
        let floats = |mask| -> Vec<f32> {
            let bytes = branch(mask, 16);
            let words = bytes.chunks_exact(4);
            words
                .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
                .collect()
        };
        assert!(floats(-1).iter().all(|x| *x == 16.0));
        assert!(floats(1)[0] != 16.0);
        assert_eq!(floats(1)[1], 16.0);
        let warps = floats(32);
        assert!(warps[..32].iter().all(|x| *x == 16.0) && warps[32..].iter().all(|x| *x != 16.0));
    }
}
