//! Workers that stay for another task: drivers are loaded, and a device's limits measured, once
//! for many kernels. One that comes to a wrong result, an error or its death stays no longer.

use std::io::{BufRead, Write};
use std::process::Child;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use common::error::Result;

use crate::events::{Event, EventsFile, Sender};
use crate::wait::{End, wait};
use crate::worker::{self, Ended, Orders, Work};

/// Those that await a task. They end with the last copy of this.
#[derive(Clone, Default)]
pub struct Staff(Arc<Mutex<Vec<Idle>>>);

/// One of them.
pub(crate) struct Idle {
    /// None while it works.
    child: Option<Child>,
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
        let (child, work) = (Some(child), work.without_task());
        Idle {
            child,
            events,
            work,
        }
    }

    /// What it comes to; nothing where it does not stay for another task.
    fn does(&mut self, work: &Work, orders: &Orders) -> Result<Option<Ended>> {
        self.events.clear();
        work.tell(&self.events)?;
        let Some(mut child) = self.child.take() else {
            return Ok(None);
        };
        // One that has ended meanwhile is seen to have.
        let _ = child.stdin.as_mut().map(|pipe| pipe.write_all(b"\n"));
        let mut sleep = |time: Duration| {
            thread::sleep(time);
            false
        };
        let end = wait(child, &self.events.path, orders.timeout, &mut sleep)?;
        let Some(End::Idle(child)) = end else {
            return Ok(None);
        };
        self.child = Some(child);
        Ok(Some(Ended::of(0, &self.events)))
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // Whoever has just ended needs no order.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The worker's side: word that there is another task, each time that this one is done. It ends
/// at once with who watches it, whatever a kernel is doing.
pub(crate) fn orders() -> impl Iterator<Item = ()> {
    let (sender, orders) = channel();
    thread::spawn(move || {
        for _ in std::io::stdin()
            .lock()
            .lines()
            .map_while(std::io::Result::ok)
        {
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
