//! Threads that a system may refuse: by `ulimit -u`, a container's limit, or for want of
//! memory.

use std::sync::Mutex;
use std::thread::{self, Builder};

/// Whether this process is given so many more threads at the same time. To be asked
/// before they are started by what panics where it is given none: the standard library's
/// `spawn`, and the crate matrixmultiply.
pub fn are_given(count: usize) -> bool {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        // None ends before all have begun.
        let closed = gate.lock();
        let begins = |_| Builder::new().spawn_scoped(scope, || drop(gate.lock())).is_ok();
        let are_given = (0..count).all(begins);
        drop(closed);
        are_given
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_given_here() {
        assert!(are_given(0) && are_given(3));
    }
}
