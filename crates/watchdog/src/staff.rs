//! Workers that stay for another task: drivers are loaded, and a device's limits measured, once
//! for many kernels. One that comes to a wrong result, an error or its death stays no longer.

use std::io::{BufRead, Write};
use std::process::Child;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use common::error::Result;

use crate::events::{Event, EventsFile, Sender};
use crate::wait::{End, patient, wait};
use crate::worker::{self, Ended, Orders, Work};

/// Those that await a task. They end with the last copy of this.
#[derive(Clone, Default)]
pub struct Staff(Arc<Mutex<Vec<Idle>>>);

/// One of them.
pub(crate) struct Idle {
    child: Child,
    events: EventsFile,
    /// What it can do, but for the task.
    work: Work,
}

impl Staff {
    /// A task by one that stayed, or by a new worker. What is held against a kernel comes of a
    /// worker that has run no other: it may have died of what that one wrote.
    pub fn finish(&self, work: Work, orders: &Orders) -> Result<Ended> {
        let work = work.that_stays();
        if let Some(mut idle) = self.take(&work)
            && let Some(ended) = idle.does(&work, orders)?
        {
            self.all().push(idle);
            return Ok(ended);
        }
        let mut ended = worker::finish(&work, orders)?;
        self.all().extend(ended.idle.take());
        Ok(ended)
    }

    fn take(&self, work: &Work) -> Option<Idle> {
        let (mut all, able) = (self.all(), work.without_task());
        let at = all.iter().position(|one| one.work == able)?;
        Some(all.swap_remove(at))
    }

    fn all(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.0.lock().unwrap_or_else(|poison| poison.into_inner())
    }
}

impl Idle {
    pub(crate) fn new(child: Child, events: EventsFile, work: &Work) -> Idle {
        let work = work.without_task();
        Idle { child, events, work }
    }

    /// What it comes to; nothing where it does not stay for another task.
    fn does(&mut self, work: &Work, orders: &Orders) -> Result<Option<Ended>> {
        self.events.clear();
        work.tell(&self.events)?;
        // One that has ended meanwhile is seen to have.
        let _ = self.child.stdin.as_mut().map(|pipe| pipe.write_all(b"\n"));
        let end = wait(&mut self.child, &self.events, orders.timeout, &mut patient)?;
        let is_done = matches!(end, Some(End::Idle));
        Ok(is_done.then(|| Ended::of(0, &self.events)))
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        // Whoever has just ended needs no order.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The worker's side: word that there is another task, each time that this one is done. It ends
/// at once with who watches it, whatever a kernel is doing.
pub(crate) fn orders() -> impl Iterator<Item = ()> {
    let (sender, orders) = channel();
    thread::spawn(move || {
        for _ in std::io::stdin().lock().lines().map_while(std::io::Result::ok) {
            // It is heard as long as this process lives.
            let _ = sender.send(());
        }
        end_at_once();
    });
    std::iter::from_fn(move || {
        Sender::from_environment().ok()?.send(&Event::Done).ok()?;
        orders.recv().ok()
    })
}

/// Without a driver's own end, which may come to none while a kernel runs.
fn end_at_once() -> ! {
    #[cfg(unix)]
    {
        use rustix::process::{Signal, getpid, kill_process};
        let _ = kill_process(getpid(), Signal::KILL);
    }
    std::process::abort()
}
