//! What is told of something that failed: a value, whose words are made where they are shown.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

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
