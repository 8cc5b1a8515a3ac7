//! One error type for the whole course, and an error as another process hears of it. Each message
//! names the cause, and the next thing to try stands below it.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

use diagnostics::{log::Log, terminal::plain_name};
use opencl3::error_codes::ClError;
use serde::{Deserialize, Serialize};

use crate::failure::{Told, explain};
use crate::stage::{Stage, Whose};
use crate::{command, outcome::Skip};

/// What `common` returns everywhere.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The exit status where nothing tells whether what ran is right, which is no error.
pub const UNCHECKED: u8 = 6;

/// The worst of these exit statuses: what was not checked hides nothing that was.
pub fn worst(all: impl IntoIterator<Item = u8>) -> u8 {
    let all = all.into_iter();
    let worst = all.max_by_key(|status| (*status != 0, *status != UNCHECKED, *status));
    worst.unwrap_or(0)
}

/// Everything that can go wrong in a lesson.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line asks for something that cannot be.
    #[error("{0}")]
    Usage(String),
    /// The same of a field of a task, by the way to it: `launches[1].args[2].in`.
    #[error("{error}")]
    At {
        /// The way to it.
        key: String,
        /// What is wrong with it.
        error: Box<Error>,
    },
    /// No OpenCL device can be used: no loader, no platform, or no device, and why.
    #[error("no usable OpenCL device: {}", .0.happened)]
    NoDevice(Told),
    /// A selector matched no device, or more than one.
    #[error("{0}")]
    Selector(Told),
    /// A file could not be used.
    #[error("cannot use {}: {why}", plain_name(&path.to_string_lossy()))]
    File {
        /// The file as the learner named it.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A kernel did not build.
    #[error("{0}")]
    Build(Log),
    /// A file has not the kernel that is launched, or it takes other arguments.
    #[error("{0}")]
    Unlaunchable(String),
    /// An OpenCL call failed.
    #[error("{}", of_opencl(*code, during, here.as_deref()).without_advice())]
    OpenCl {
        /// The status code.
        code: i32,
        /// What the course was doing, for example "launching matmul_naive".
        during: String,
        /// The limits that the call may have run into, with their values here.
        here: Option<String>,
    },
    /// A kernel cannot run here; its row says why.
    #[error("{0}")]
    Skipped(Skip),
    /// A result is wrong: what it looks like. Its row says that.
    #[error("{0}")]
    Wrong(verify::Differences),
    /// A kernel crashed or hung, and took down the process that ran it.
    #[error("{0}")]
    Died(String),
    /// Whoever listens ends what was going on; nothing has failed.
    #[error("ended on request")]
    Asked(UserRequest),
    /// Standard output or a file failed.
    #[error("input or output failed: {0}")]
    Io(io::Error),
}

/// Not as its source: it is told already.
impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Io(error)
    }
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

/// What a person who follows the calls asked for, beyond the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserRequest {
    /// To end the lesson, in order.
    Quit,
    /// To end it as Control-C does.
    Interrupt,
}

impl Error {
    /// Why a kernel cannot run here.
    pub fn skipped(why: impl Into<String>) -> Error {
        Error::Skipped(Skip::Since(why.into()))
    }

    /// What cannot be built, or read as a kernel's code.
    pub fn build(why: impl Into<String>) -> Error {
        Error::Build(Log { shown: why.into(), ..Log::default() })
    }

    /// The same, of this field of a task; of one within it, where that is known.
    pub fn at(self, key: &str) -> Error {
        match self {
            Error::At { key: inner, error } => Error::At { key: format!("{key}{inner}"), error },
            error => Error::At { key: key.into(), error: Box::new(error) },
        }
    }

    /// The same, wherever it is.
    pub fn anywhere(self) -> Error {
        match self {
            Error::At { error, .. } => *error,
            error => error,
        }
    }

    /// A file that cannot be used, and why.
    pub fn file(path: &Path, why: impl Display) -> Error {
        Error::File { path: path.into(), why: why.to_string() }
    }

    /// A file that only lives as long as a command could not be made or written.
    pub fn temporary(path: &Path, error: &io::Error) -> Error {
        let why = "it lies in the folder for temporary files, which must exist and have room\n  \
                   next: export TMPDIR=/another/folder";
        Error::file(path, format!("{error}\n  {why}"))
    }

    /// The exit status that belongs to this error: 1 a wrong result, 2 usage,
    /// 3 no usable device, 4 a kernel did not build, 5 the device failed. What is not checked has
    /// [`UNCHECKED`].
    pub fn status(&self) -> u8 {
        Kind::of(self).status()
    }

    /// The message, and the next thing to try below it, where there is one to name.
    pub fn told(&self) -> Told {
        let next = match self {
            Error::OpenCl { code, during, here } => {
                return of_opencl(*code, during, here.as_deref());
            }
            Error::NoDevice(told) => {
                let doctor = format!("{}   says what is wrong here", command::course("doctor"));
                let setup = command::setup("");
                Some(match &told.next {
                    Some(next) => format!("{next}\n        {doctor}"),
                    None => {
                        format!("{doctor}\n        {setup}   installs a driver where there is none")
                    }
                })
            }
            Error::Io(error) if error.kind() == io::ErrorKind::StorageFull => {
                Some("make room where the output goes, or send it elsewhere".into())
            }
            _ => None,
        };
        Told { next, ..self.to_string().into() }
    }

    /// Adds the limits that a call of OpenCL may have run into, given its status.
    pub fn with_limits(mut self, limits: impl FnOnce(i32) -> Option<String>) -> Error {
        if let Error::OpenCl { code, here, .. } = &mut self {
            *here = limits(*code);
        }
        self
    }

    /// True when whoever read our output has gone away, which is no error.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Error::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

fn of_opencl(code: i32, during: &str, here: Option<&str>) -> Told {
    let here = here.map_or_else(String::new, |here| format!("\n  here: {here}"));
    match explain(code) {
        Some(known) => Told {
            happened: format!("{} ({code}) while {during}: {}", known.name, known.meaning),
            cause: Some(format!("{}{here}", known.cause)),
            next: Some(known.next.to_string()),
        },
        None => format!("unknown OpenCL status {code} while {during}{here}").into(),
    }
}

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
    pub log: Option<Log>,
    /// The field of a task that it is about.
    pub key: Option<String>,
}

impl Failure {
    /// Of this kind, with this message.
    pub fn new(kind: Kind, told: impl Into<Told>, stage: Stage) -> Failure {
        Failure { kind, told: told.into(), stage, log: None, key: None }
    }

    /// Of an error, while nobody has said yet what was done.
    pub fn of(error: &Error) -> Failure {
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
            ..Failure::new(Kind::of(error), error.told(), Stage::default())
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

/// Turns opencl3's two kinds of error into ours, with what was being done.
pub trait During<T> {
    /// Names what was being done when it failed.
    ///
    /// # Errors
    /// [`Error::OpenCl`] with the status code.
    fn during(self, what: impl Into<String>) -> Result<T>;
}

// Functions that opencl3 re-exports from cl3 return the bare number.
impl<T, E: Into<ClError>> During<T> for std::result::Result<T, E> {
    fn during(self, what: impl Into<String>) -> Result<T> {
        self.map_err(|error| {
            let ClError(code) = error.into();
            Error::OpenCl { code, during: what.into(), here: None }
        })
    }
}

/// Names the field of a task that an error is about.
pub trait AtField<T> {
    /// The same, of this field.
    ///
    /// # Errors
    /// As before.
    fn at(self, key: &str) -> Result<T>;
}

impl<T> AtField<T> for Result<T> {
    fn at(self, key: &str) -> Result<T> {
        self.map_err(|error| error.at(key))
    }
}

/// That a formula has no value.
impl<T> AtField<T> for std::result::Result<T, String> {
    fn at(self, key: &str) -> Result<T> {
        self.map_err(|why| Error::Usage(format!("{key}: {why}")).at(key))
    }
}
