//! Work for all cores of this machine.

use std::sync::{Mutex, PoisonError};
use std::{collections::BTreeMap, thread};

/// Cores that this process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// What `work` makes of each item and its number, in their order, by `most` threads. Who is done
/// with one item takes the next; where the system gives no more threads, this one does all.
pub fn each_on<Item: Send, Made: Send>(
    most: usize,
    items: impl IntoIterator<Item = Item>,
    work: impl Fn(usize, Item) -> Made + Sync,
) -> Vec<Made> {
    let items: Vec<Item> = items.into_iter().collect();
    let most = most.min(items.len());
    let state = Mutex::new((items.into_iter().enumerate(), BTreeMap::new()));
    let locked = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let take = || {
        loop {
            let next = locked().0.next();
            let Some((at, item)) = next else { return };
            let one = work(at, item);
            locked().1.insert(at, one);
        }
    };
    thread::scope(|scope| {
        for _ in 1..most {
            let _ = thread::Builder::new().spawn_scoped(scope, take);
        }
        take();
    });
    let (_, made) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_items_are_done_and_stay_in_order() {
        let squares = each_on(7, 0..100, |at, item| at * item);
        assert!(squares.into_iter().eq((0..100).map(|item| item * item)));
        assert!(each_on(7, [(); 0], |at, ()| at).is_empty());
    }
}
