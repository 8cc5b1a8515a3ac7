//! Workers that stay for another task: drivers are loaded, and a device's limits measured, once
//! for many kernels. One that comes to a wrong result, an error or its death stays no longer.

use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex, MutexGuard};
use std::{process::Child, sync::mpsc::channel, thread, time::Duration};

use common::Result;

use crate::events::{Event, EventsFile, Sender};
use crate::wait::{End, patient, wait};
use crate::worker::{self, Ended, Work};

/// Those that await a task. They end with the last copy of this.
#[derive(Clone, Default)]
pub struct Staff(Arc<Mutex<Vec<Idle>>>);

/// One of them.
pub(crate) struct Idle {
    pub child: Child,
    pub events: EventsFile,
    /// What it can do, but for the task.
    pub work: Work,
}

impl Staff {
    /// A task by one that stayed, or by a new worker. What is held against a kernel comes of a
    /// worker that has run no other: it may have died of what that one wrote.
    pub fn finish(&self, mut work: Work, timeout: Duration) -> Result<Ended> {
        work.told.stays = !work.told.task.is_null();
        let alike = work.without_task();
        let taken = {
            let mut all = self.all();
            all.iter().position(|one| one.work == alike).map(|at| all.swap_remove(at))
        };
        if let Some(mut idle) = taken {
            idle.events.clear();
            // One that has ended meanwhile is seen to have.
            let _ = idle.child.stdin.as_mut().map(|pipe| writeln!(pipe, "{}", work.told.task));
            if let Some(End::Idle) = wait(&mut idle.child, &idle.events, timeout, &mut patient)? {
                let ended = Ended::of(0, &idle.work, &idle.events);
                self.all().push(idle);
                return Ok(ended);
            }
        }
        let mut ended = worker::finish(&work, timeout)?;
        self.all().extend(ended.idle.take());
        Ok(ended)
    }

    fn all(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.0.lock().unwrap_or_else(|poison| poison.into_inner())
    }
}

impl Drop for Idle {
    fn drop(&mut self) {
        // Whoever has just ended needs no order.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The worker's side: another task, each time that the one before it is done. It ends at once with
/// who watches it, whatever a kernel is doing.
pub(crate) fn more_tasks() -> impl Iterator<Item = serde_json::Value> {
    let (sender, tasks) = channel();
    thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(std::io::Result::ok) {
            // It is heard as long as this process lives.
            let _ = sender.send(serde_json::from_str(&line).unwrap_or_default());
        }
        // Without a driver's own end, which may come to none while a kernel runs.
        #[cfg(unix)]
        {
            use rustix::process::{Signal, getpid, kill_process};
            let _ = kill_process(getpid(), Signal::KILL);
        }
        std::process::abort()
    });
    std::iter::from_fn(move || {
        Sender::from_environment().ok()?.send(&Event::Done).ok()?;
        tasks.recv().ok()
    })
}
