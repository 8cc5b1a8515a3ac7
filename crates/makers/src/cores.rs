//! Work for all cores of this machine.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, ensure};
use common::threads;

/// What `work` makes of each item and its number, in their order. A core that is done with
/// one takes the next.
///
/// # Errors
/// The first of `work`, and where the system gives no threads.
pub fn on_all_cores<Item: Sync, Made: Send>(
    items: &[Item],
    work: impl Fn(usize, &Item) -> Result<Made> + Sync,
) -> Result<Vec<Made>> {
    let next = AtomicUsize::new(0);
    let made = Mutex::new(Vec::new());
    let take = || -> Result<()> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return Ok(());
            };
            let one = work(at, item)?;
            made.lock().expect("no thread panics").push((at, one));
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    ensure!(
        threads::are_given(cores),
        "the system gives no {cores} threads"
    );
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(take)).collect();
        let mut ends = threads.into_iter().map(|thread| thread.join());
        ends.try_for_each(|end| end.expect("no thread panics"))
    })?;
    let mut made = made.into_inner().expect("no thread panics");
    made.sort_by_key(|(at, _)| *at);
    Ok(made.into_iter().map(|(_, one)| one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

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
