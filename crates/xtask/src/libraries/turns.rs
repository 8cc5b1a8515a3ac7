//! Each round the course's own kernel and every library has one turn, in a process of its
//! own. Who begins changes from round to round, so that a clock that falls hits all alike.

use std::process::Command;

use anyhow::Result;
use common::element::Type;
use common::outcome::{Outcome, Skip};
use common::record::Record;
use common::shape::Shape;
use common::timing::{median, quantile};
use process::Finished;
use process::data::peers::{Missing, OURS, OURS_BY_VENDOR, Rate};
use process::devices::Device;
use process::lessons;
use text::aside;

use super::child::Measured;
use super::library::Peer;

/// Who takes part, and how often.
pub struct Turns<'a> {
    pub device: &'a Device,
    /// The type of A and B.
    pub inputs: Type,
    /// Without those that were found to be missing.
    pub peers: Vec<Peer>,
    pub rounds: usize,
    pub runs: Option<u32>,
}

impl Turns<'_> {
    /// All rounds on these sizes: the rates, ours first at each size, and the libraries that
    /// turned out to be missing.
    pub fn take(&mut self, shapes: &[Shape]) -> Result<(Vec<Rate>, Vec<Missing>)> {
        // None is ours.
        let theirs = self.peers.iter().copied().map(Some);
        let mut players: Vec<Option<Peer>> = std::iter::once(None).chain(theirs).collect();
        let mut turns: Vec<(&str, Measured)> = Vec::new();
        let mut missing = Vec::new();
        for _ in 0..self.rounds {
            for player in players.clone() {
                let told = self.turn(player, shapes)?;
                let skipped = told
                    .first()
                    .and_then(|one| one.record.skipped().map(Skip::to_string));
                let not_here = skipped.filter(|why| why.starts_with("missing: "));
                if let (Some(peer), Some(why)) = (player, not_here) {
                    aside!("  {}: {why}", peer.name());
                    missing.push(Missing {
                        library: peer.name().into(),
                        missing: why,
                    });
                    players.retain(|other| *other != player);
                    self.peers.retain(|other| *other != peer);
                    continue;
                }
                turns.extend(told.into_iter().map(|one| (library(player, &one), one)));
            }
            players.rotate_left(1);
        }
        let theirs = self.peers.iter().map(|peer| peer.name());
        let order: Vec<&str> = [OURS, OURS_BY_VENDOR].into_iter().chain(theirs).collect();
        let mut rates = Vec::new();
        for &shape in shapes {
            for library in &order {
                let mut here: Vec<_> = turns.iter().filter(|one| one.0 == *library).collect();
                here.retain(|(_, one)| one.record.shape() == shape);
                let here: Vec<&Measured> = here.into_iter().map(|(_, one)| one).collect();
                rates.extend(self.rate(library, shape, &here));
            }
        }
        Ok((rates, missing))
    }

    /// One turn of one: what it measured, one record for each size.
    fn turn(&self, player: Option<Peer>, shapes: &[Shape]) -> Result<Vec<Measured>> {
        let (mut command, name) = match player {
            Some(peer) => (command(peer, self.inputs)?, peer.name().to_string()),
            None => {
                // It leads to the limit of such a device, with what it chooses beforehand.
                let lesson = lessons::numbered(self.lesson())?;
                let mut command = lesson.command()?;
                command.arg("--json");
                if self.inputs == Type::Float {
                    command.arg("--chosen");
                }
                (command, lesson.package())
            }
        };
        if self.inputs != Type::Float {
            command.args(["--inputs", word(self.inputs)]);
        }
        command.args(["--device", &self.device.index.to_string()]);
        command.args(["--size", &list(shapes)]);
        if let Some(runs) = self.runs {
            command.args(["--runs", &runs.to_string()]);
        }
        let finished = Finished::of(&mut command)?;
        let lines = finished.stdout.lines();
        let lines = lines.filter_map(|line| serde_json::from_str(line).ok());
        let mut measured: Vec<Measured> = lines.collect();
        if player.is_none() {
            measured.retain(|one| one.record.platform != "host");
        }
        let why = (!finished.status.success()).then(|| finished.complaint());
        if let Some(why) = &why {
            aside!("  {name}: {why}");
        }
        // What it did not come to, it failed at.
        let why = why.unwrap_or("nothing was measured".into());
        for &shape in shapes {
            if measured.iter().all(|one| one.record.shape() != shape) {
                measured.push(failed(shape, &why));
            }
        }
        Ok(measured)
    }

    fn lesson(&self) -> u32 {
        match self.inputs {
            Type::Float if self.device.is_cpu() => 9,
            Type::Float => 10,
            _ => 13,
        }
    }

    /// What all turns of one come to at a size, if it had any. On a CPU ours is timed by the
    /// wall clock, as the libraries are.
    fn rate(&self, library: &str, shape: Shape, turns: &[&Measured]) -> Option<Rate> {
        let last = turns.last()?;
        let is_ours = [OURS, OURS_BY_VENDOR].contains(&library);
        let by_the_wall = self.device.is_cpu();
        let timed = |one: &&Measured| match by_the_wall && !one.record.wall_seconds.is_empty() {
            true => (one.record.wall_seconds.clone(), Some("wall".into())),
            false => (one.record.seconds.clone(), one.record.clock.clone()),
        };
        let (rounds, clocks): (Vec<Vec<f64>>, Vec<Option<String>>) =
            turns.iter().map(timed).unzip();
        let seconds = rounds.concat();
        // One wrong result, and nothing of it is believed.
        let why = turns.iter().find_map(|one| reason(&one.record));
        let is_timed = why.is_none() && !seconds.is_empty();
        let rate = |seconds: f64| shape.flop() / seconds / 1e9;
        let at = |q| is_timed.then(|| rate(quantile(&seconds, q)));
        let rounds = rounds.iter().filter(|one| is_timed && !one.is_empty());
        let own_threads = by_the_wall.then_some(self.device.compute_units);
        let (version, threads) = match is_ours {
            true => (format!("lesson {}", self.lesson()), own_threads),
            false => (last.version.clone(), last.threads),
        };
        Some(Rate {
            shape,
            library: library.into(),
            kernel: is_ours.then(|| last.record.kernel.clone()),
            version,
            threads,
            clock: clocks.into_iter().flatten().next_back(),
            gflops: at(0.5),
            q1: at(0.75),
            q3: at(0.25),
            rounds: turns.len(),
            by_round: rounds.map(|seconds| rate(median(seconds))).collect(),
            runs: if is_timed { seconds.len() } else { 0 },
            why: why.or_else(|| (!is_timed).then(|| "nothing was measured".into())),
        })
    }
}

/// As `--inputs` takes it.
fn word(inputs: Type) -> &'static str {
    if inputs == Type::Tf32 {
        "tf32"
    } else {
        inputs.name()
    }
}

/// A library's name; of ours whether its kernel is standard OpenCL C.
fn library(player: Option<Peer>, one: &Measured) -> &'static str {
    match player {
        Some(peer) => peer.name(),
        None if one.record.vendor_specific => OURS_BY_VENDOR,
        None => OURS,
    }
}

/// The child that measures a library: `course peer NAME`.
fn command(peer: Peer, inputs: Type) -> Result<Command> {
    let mut command = process::this_program()?;
    command.args(["peer", &peer.word()]);
    command.envs(peer.environment(inputs));
    // What a lesson's child gets: libraries are measured as the kernels are.
    command.envs(process::environment());
    Ok(command)
}

/// "1024x1024x1024,37x91x53".
pub fn list(shapes: &[Shape]) -> String {
    let shapes: Vec<String> = shapes.iter().map(Shape::to_string).collect();
    shapes.join(",")
}

/// Why a record has no time, in one line.
fn reason(record: &Record) -> Option<String> {
    Some(record.why()?.lines().next().unwrap_or_default().into())
}

fn failed(Shape { m, n, k }: Shape, why: &str) -> Measured {
    let record = Record {
        m,
        n,
        k,
        outcome: Outcome::Wrong(why.into()),
        ..Record::default()
    };
    Measured {
        record,
        ..Measured::default()
    }
}
