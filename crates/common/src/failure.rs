//! An error as another process hears of it, and what is told of it: a value, whose words are made
//! where they are shown.

use std::fmt::{self, Display, Formatter};

use diagnostics::log::Log;
use serde::{Deserialize, Serialize};

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

/// What is told of something that failed. Display says it in lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// What happened.
    pub happened: String,
    /// A likely cause, where there is one to name.
    pub cause: Option<String>,
    /// The next thing to try, where there is one to name.
    pub next: Option<String>,
}

impl From<String> for Told {
    fn from(happened: String) -> Told {
        Told { happened, ..Told::default() }
    }
}

impl Told {
    /// What happened, and the command that mends it, where there is one.
    pub fn new(happened: impl Into<String>, mend: Option<&str>) -> Told {
        Told { next: mend.map(String::from), ..happened.into().into() }
    }

    /// The first line of what happened.
    pub fn in_short(&self) -> &str {
        let first = self.happened.lines().next().unwrap_or_default();
        first.trim_end_matches(':')
    }

    /// The same without the next thing to try, which stands elsewhere.
    pub fn without_advice(self) -> Told {
        Told { next: None, ..self }
    }
}

impl Display for Told {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&self.happened)?;
        for (what, told) in [("likely cause", &self.cause), ("next", &self.next)] {
            if let Some(told) = told {
                write!(f, "\n  {what}: {told}")?;
            }
        }
        Ok(())
    }
}
