//! An error as another process hears of it.

use std::fmt::{self, Display, Formatter};

use diagnostics::log::Log;
use serde::{Deserialize, Serialize};

use crate::error::{Error, UNCHECKED, UserRequest};
use crate::stage::{Stage, Whose};
use crate::told::Told;

/// Why a process ended before its work was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of error.
    pub kind: Kind,
    /// Its message.
    pub told: Told,
    /// What was being done.
    pub stage: Stage,
    /// Of a build the errors and their places.
    #[serde(default)]
    pub log: Option<Log>,
    /// The field of a task that it is about.
    #[serde(default)]
    pub key: Option<String>,
}

/// What kind of error it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Something wrong is asked for, or a file cannot be used.
    Usage,
    /// There is nothing to run on.
    NoDevice,
    /// A compiler refused a kernel file.
    Build,
    /// A kernel cannot be launched as is asked.
    Unlaunchable,
    /// A call of OpenCL failed.
    OpenCl,
    /// Kernels, or what else was started, died.
    Died,
    /// Results are wrong.
    Wrong,
    /// Output failed, or somebody asked for an end.
    Ended(u8),
}

impl Kind {
    /// Of an error.
    pub fn of(error: &Error) -> Kind {
        match error {
            Error::At { error, .. } => Kind::of(error),
            Error::Usage(_) | Error::Skipped(_) | Error::Selector(_) | Error::File { .. } => {
                Kind::Usage
            }
            Error::NoDevice(_) => Kind::NoDevice,
            Error::Build(_) => Kind::Build,
            Error::Unlaunchable(_) => Kind::Unlaunchable,
            Error::OpenCl { .. } => Kind::OpenCl,
            Error::Died(_) => Kind::Died,
            Error::Wrong(_) => Kind::Wrong,
            Error::Io(_) => Kind::Ended(5),
            Error::Asked(UserRequest::Quit) => Kind::Ended(0),
            // As a shell reports a command that Control-C ended.
            Error::Asked(UserRequest::Interrupt) => Kind::Ended(130),
        }
    }

    /// The exit status that belongs to it.
    pub fn status(self) -> u8 {
        match self {
            Kind::Wrong => 1,
            Kind::Usage => 2,
            Kind::NoDevice => 3,
            Kind::Build | Kind::Unlaunchable => 4,
            Kind::OpenCl | Kind::Died => 5,
            Kind::Ended(status) => status,
        }
    }
}

impl Failure {
    /// Of this kind, with this message.
    pub fn new(kind: Kind, told: impl Into<Told>, stage: Stage) -> Failure {
        Failure {
            kind,
            told: told.into(),
            stage,
            log: None,
            key: None,
        }
    }

    /// Of an error, while this was done.
    pub fn of(error: &Error, stage: Stage) -> Failure {
        if let Error::At { key, error } = error {
            let key = Some(key.clone());
            return Failure {
                key,
                ..Failure::of(error, stage)
            };
        }
        Failure {
            log: match error {
                Error::Build(log) => Some(log.clone()),
                _ => None,
            },
            ..Failure::new(Kind::of(error), error.told(), stage)
        }
    }

    /// Whether it is of what results are held against: a reference, or the formulas of a task.
    pub fn is_of_check(&self) -> bool {
        let mut key = self.key.iter();
        self.stage.whose() == Some(Whose::Reference) || key.any(|key| key.starts_with("check"))
    }

    /// The exit status that belongs to it.
    pub fn status(&self) -> u8 {
        match self.is_of_check() {
            true => UNCHECKED,
            false => self.kind.status(),
        }
    }
}

/// The message, and the next thing to try below it.
impl Display for Failure {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.told.fmt(f)
    }
}
