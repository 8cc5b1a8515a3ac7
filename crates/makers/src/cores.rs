//! Work for all cores of this machine.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{iter, thread};

use anyhow::{Result, anyhow};
use common::threads;

/// What `work` makes of each item and its number, in their order. A core that is done with
/// one takes the next; where the system gives no threads, this one does all.
pub fn on_all_cores<'i, Item: Sync, Made: Send>(
    items: &'i [Item],
    work: impl Fn(usize, &'i Item) -> Result<Made> + Sync,
) -> Result<Vec<Made>> {
    let next = AtomicUsize::new(0);
    let take = || -> Result<Vec<(usize, Made)>> {
        let numbers = iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let items = numbers.map_while(|at| Some((at, items.get(at)?)));
        items.map(|(at, item)| Ok((at, work(at, item)?))).collect()
    };
    let others = thread::available_parallelism().map_or(0, |cores| cores.get() - 1);
    let others = if threads::are_given(others) {
        others
    } else {
        0
    };
    let mut made = thread::scope(|scope| {
        let threads: Vec<_> = (0..others).map(|_| scope.spawn(take)).collect();
        let mut made = take()?;
        for thread in threads {
            made.extend(thread.join().map_err(|_| anyhow!("a thread panicked"))??);
        }
        anyhow::Ok(made)
    })?;
    made.sort_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, one)| one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::ensure;

    #[test]
    fn all_items_are_done_and_stay_in_order() {
        let items: Vec<usize> = (0..100).collect();
        let squares = on_all_cores(&items, |at, item| Ok(at * item)).unwrap();
        assert!(squares.into_iter().eq(items.iter().map(|item| item * item)));
        let failed = on_all_cores(&items, |_, item| {
            ensure!(*item != 7, "seven");
            Ok(())
        });
        assert_eq!(failed.unwrap_err().to_string(), "seven");
    }
}
