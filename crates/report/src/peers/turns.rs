//! Each round the course's own kernel and every library has one turn, in a process of its
//! own. Who begins changes from round to round, so that a clock that falls hits all alike.

use std::process::Command;

use anyhow::Result;
use common::record::Record;
use common::shape::Shape;
use common::timing::quantile;
use process::Finished;
use process::data::peers::{Missing, OURS, Rate};
use process::lessons;
use serde::de::DeserializeOwned;
use text::aside;

use super::child::Measured;
use super::peer::Peer;
use process::devices::Device;

/// Who takes part, and how often.
pub struct Turns<'a> {
    pub device: &'a Device,
    /// Without those that were found to be missing.
    pub peers: Vec<Peer>,
    pub rounds: usize,
    pub runs: Option<u32>,
}

/// Ours, or a library.
#[derive(Clone, Copy, PartialEq)]
enum Player {
    Ours,
    Theirs(Peer),
}

impl Turns<'_> {
    /// All rounds on these sizes: the rates, ours first at each size, and the libraries that
    /// turned out to be missing.
    pub fn take(&mut self, shapes: &[Shape]) -> Result<(Vec<Rate>, Vec<Missing>)> {
        let theirs = self.peers.iter().copied().map(Player::Theirs);
        let mut players: Vec<Player> = std::iter::once(Player::Ours).chain(theirs).collect();
        let mut turns: Vec<(Player, Measured)> = Vec::new();
        let mut missing = Vec::new();
        for _ in 0..self.rounds {
            for player in players.clone() {
                let told = self.turn(player, shapes)?;
                if let Some(why) = told.first().and_then(not_here) {
                    let Player::Theirs(peer) = player else {
                        continue;
                    };
                    aside!("  {}: {why}", peer.name());
                    missing.push(Missing {
                        library: peer.name().into(),
                        missing: why.clone(),
                    });
                    players.retain(|other| *other != player);
                    self.peers.retain(|other| *other != peer);
                    continue;
                }
                turns.extend(told.into_iter().map(|measured| (player, measured)));
            }
            players.rotate_left(1);
        }
        let theirs = self.peers.iter().copied().map(Player::Theirs);
        let order: Vec<Player> = std::iter::once(Player::Ours).chain(theirs).collect();
        let mut rates = Vec::new();
        for &shape in shapes {
            for &player in &order {
                let of_it = turns.iter().filter(|(other, _)| *other == player);
                let records = of_it.map(|(_, measured)| measured);
                let here: Vec<&Measured> =
                    records.filter(|one| one.record.shape() == shape).collect();
                rates.push(self.rate(player, shape, &here));
            }
        }
        Ok((rates, missing))
    }

    /// One turn of one: what it measured, one record for each size.
    fn turn(&self, player: Player, shapes: &[Shape]) -> Result<Vec<Measured>> {
        let (mut command, name) = match player {
            Player::Ours => self.lesson()?,
            Player::Theirs(peer) => (command(peer)?, peer.name().to_string()),
        };
        command.args(["--device", &self.device.index.to_string()]);
        command.args(["--size", &list(shapes)]);
        if let Some(runs) = self.runs {
            command.args(["--runs", &runs.to_string()]);
        }
        let finished = Finished::of(&mut command)?;
        let mut measured: Vec<Measured> = lines(&finished.stdout);
        if player == Player::Ours {
            measured.retain(|one| one.record.platform != "host");
        }
        if !finished.status.success() {
            let why = finished.complaint();
            aside!("  {name}: {why}");
            // What it did not come to, it failed at.
            for &shape in shapes {
                if measured.iter().all(|one| one.record.shape() != shape) {
                    measured.push(failed(shape, &why));
                }
            }
        }
        Ok(measured)
    }

    /// The lesson that leads to the limit of such a device, with the one kernel that it
    /// chooses beforehand.
    fn lesson(&self) -> Result<(Command, String)> {
        let lesson = lessons::numbered(self.number())?;
        let mut command = lesson.command()?;
        command.args(["--json", "--chosen"]);
        Ok((command, lesson.package()))
    }

    fn number(&self) -> u32 {
        if self.device.is_cpu() { 9 } else { 10 }
    }

    /// What all turns of one come to at a size. On a CPU ours is timed by the wall clock,
    /// as the libraries are.
    fn rate(&self, player: Player, shape: Shape, turns: &[&Measured]) -> Rate {
        let by_the_wall = self.device.is_cpu();
        let mut seconds = Vec::new();
        let mut clock = None;
        for Measured { record, .. } in turns {
            let is_wall = by_the_wall && !record.wall_seconds.is_empty();
            let (samples, name) = if is_wall {
                (&record.wall_seconds, Some("wall".to_string()))
            } else {
                (&record.seconds, record.clock.clone())
            };
            seconds.extend(samples);
            clock = name.or(clock);
        }
        // One wrong result, and nothing of it is believed.
        let why = turns.iter().find_map(|one| reason(&one.record));
        let is_timed = why.is_none() && !seconds.is_empty();
        let rate = |q| is_timed.then(|| shape.flop() / quantile(&seconds, q) / 1e9);
        let last = turns.last();
        let (library, version) = match player {
            Player::Ours => (OURS.into(), format!("lesson {}", self.number())),
            Player::Theirs(peer) => {
                let version = last.map(|one| one.about.version.clone());
                (peer.name().into(), version.unwrap_or_default())
            }
        };
        let own_threads = by_the_wall.then_some(self.device.compute_units);
        Rate {
            shape,
            library,
            kernel: last
                .filter(|_| player == Player::Ours)
                .map(|one| one.record.kernel.clone()),
            version,
            threads: match player {
                Player::Ours => own_threads,
                Player::Theirs(_) => last.and_then(|one| one.about.threads),
            },
            clock,
            gflops: rate(0.5),
            q1: rate(0.75),
            q3: rate(0.25),
            rounds: turns.len(),
            runs: if is_timed { seconds.len() } else { 0 },
            why: why.or_else(|| (!is_timed).then(|| "nothing was measured".into())),
        }
    }
}

/// The child that measures a library: `course peer NAME`.
pub fn command(peer: Peer) -> Result<Command> {
    let mut command = process::this_program()?;
    command.args(["peer", &peer.word()]);
    // What a lesson's child gets: libraries are measured as the kernels are.
    command.envs(process::environment());
    Ok(command)
}

/// "1024x1024x1024,37x91x53".
pub fn list(shapes: &[Shape]) -> String {
    let shapes: Vec<String> = shapes.iter().map(Shape::to_string).collect();
    shapes.join(",")
}

fn lines<Line: DeserializeOwned>(text: &str) -> Vec<Line> {
    let lines = text.lines();
    let lines = lines.filter_map(|line| serde_json::from_str(line).ok());
    lines.collect()
}

/// Why a library is not here, if it is not.
fn not_here(measured: &Measured) -> Option<&String> {
    let skipped = measured.record.skipped.as_ref();
    skipped.filter(|why| why.starts_with("missing: "))
}

/// Why a record has no time, in one line.
fn reason(record: &Record) -> Option<String> {
    let failed = record.failed.as_ref().or(record.died.as_ref());
    let why = failed.or(record.skipped.as_ref())?;
    let first = why.lines().next().unwrap_or_default();
    Some(first.to_string())
}

fn failed(shape: Shape, why: &str) -> Measured {
    let Shape { m, n, k } = shape;
    let record = Record {
        m,
        n,
        k,
        died: Some(why.to_string()),
        ..Record::default()
    };
    Measured {
        record,
        about: Default::default(),
    }
}
