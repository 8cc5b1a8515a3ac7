//! What ends this process from outside, heard instead of obeyed, until what it has started
//! is put in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The signals that have come; the default hears none.
#[derive(Default)]
pub struct Signals(Arc<AtomicUsize>);

impl Signals {
    /// Hears a closed terminal, Ctrl-C, Ctrl-\ and kill from now on. What the system does
    /// not let it hear ends the process as ever.
    pub fn heard() -> Signals {
        let signals = Signals::default();
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
            for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
                let (number, last) = (signal as usize, signals.0.clone());
                let _ = signal_hook::flag::register_usize(signal, last, number);
            }
        }
        signals
    }

    /// Whether one has come.
    pub fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Forgets what came: it was meant for another program on the same terminal.
    pub fn forget(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Does what the last one asks for, if one has come: this process ends by it.
    pub fn obey(&self) {
        #[cfg(unix)]
        if self.came() {
            let signal = self.0.load(Ordering::Relaxed) as i32;
            // It does not come back, unless the number is no signal.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}
