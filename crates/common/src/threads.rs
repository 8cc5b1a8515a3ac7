//! Threads that a system may refuse: by `ulimit -u`, a container's limit, or for want of
//! memory.

use std::sync::mpsc;
use std::thread::Builder;

/// Whether this process is given so many more threads at the same time. To be asked
/// before they are started by what panics where it is given none: the standard library's
/// `spawn`, and the crate matrixmultiply.
pub fn are_given(count: usize) -> bool {
    let begin = |_| {
        let (end, awaited) = mpsc::channel::<()>();
        // It ends with its sender.
        let thread = Builder::new().spawn(move || awaited.recv().is_err()).ok()?;
        Some((end, thread))
    };
    let started: Option<Vec<_>> = (0..count).map(begin).collect();
    let Some(started) = started else {
        return false;
    };
    for (end, thread) in started {
        drop(end);
        // It does nothing that could fail.
        let _ = thread.join();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_given_here() {
        assert!(are_given(0) && are_given(3));
    }
}
