//! A rank that does not get on ends itself, and says where it stands: MPI then ends all. The
//! others only wait for it, so a rank that waits has more patience.

use std::sync::Arc;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use text::aside;

/// Without a new stage for so long, a rank is taken to hang; one that waits for others gets
/// two seconds more, in which the one at fault speaks.
const PATIENCE: Duration = Duration::from_secs(6);

/// Where a rank stands, watched by a thread.
pub struct Watchdog {
    stage: Arc<Mutex<(String, Instant)>>,
    who: String,
    /// What is to go wrong: after the first panel it fails, or hangs.
    pub fails: bool,
    pub hangs: bool,
}

impl Watchdog {
    /// Watches this rank, which messages call `who`.
    pub fn new(who: String) -> Watchdog {
        let stage = Arc::new(Mutex::new((String::from("starting"), Instant::now())));
        let (watched, name) = (stage.clone(), who.clone());
        thread::spawn(move || {
            loop {
                thread::sleep(Duration::from_millis(200));
                let (stage, since) = match watched.lock() {
                    Ok(now) => now.clone(),
                    Err(_) => return,
                };
                let is_waiting = stage.starts_with("waiting");
                let patience = PATIENCE + Duration::from_secs(if is_waiting { 2 } else { 0 });
                if since.elapsed() > patience {
                    aside!(
                        "{name}: no progress for {} s while {stage}; ending all",
                        patience.as_secs()
                    );
                    std::process::abort();
                }
            }
        });
        Watchdog {
            stage,
            who,
            fails: false,
            hangs: false,
        }
    }

    /// What begins now.
    pub fn stage(&self, what: &str) {
        if let Ok(mut stage) = self.stage.lock() {
            *stage = (what.into(), Instant::now());
        }
    }

    /// What was asked to go wrong after this panel.
    pub fn mishap(&self, panel: usize) {
        if panel > 0 {
            return;
        }
        if self.fails {
            aside!("{}: it dies, as --fail asks", self.who);
            std::process::abort();
        }
        if self.hangs {
            self.stage("doing nothing, as --hang asks");
            thread::sleep(Duration::from_secs(3600));
        }
    }
}
