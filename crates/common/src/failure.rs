//! An error as another process hears of it.

use std::fmt::{self, Display, Formatter};

use diagnostics::log::Log;
use serde::{Deserialize, Serialize};

pub use crate::codes::Told;
use crate::error::{Error, Kind, UNCHECKED};
use crate::stage::{Stage, Whose};

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

impl Failure {
    /// Of this kind, with this message.
    pub fn new(kind: Kind, told: impl Into<Told>, stage: Stage) -> Failure {
        Failure { kind, told: told.into(), stage, log: None, key: None }
    }

    /// Of an error, while this was done.
    pub fn of(error: &Error, stage: Stage) -> Failure {
        let (key, error) = match error {
            Error::At { key, error } => (Some(key.clone()), &**error),
            error => (None, error),
        };
        Failure {
            log: match error {
                Error::Build(log) => Some(log.clone()),
                _ => None,
            },
            key,
            ..Failure::new(Kind::of(error), error.told(), stage)
        }
    }

    /// Whether it is of what results are held against: a reference, or the formulas of a task.
    pub fn is_of_check(&self) -> bool {
        let field = self.key.as_ref().and_then(|key| key.split('.').next());
        self.stage.whose() == Some(Whose::Reference) || field == Some("check")
    }

    /// The exit status that belongs to it.
    pub fn status(&self) -> u8 {
        match self.is_of_check() {
            true => UNCHECKED,
            false => self.kind.status(),
        }
    }
}

impl std::error::Error for Failure {}

/// The message, and the next thing to try below it.
impl Display for Failure {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.told.fmt(f)
    }
}
