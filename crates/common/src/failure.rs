//! What is told of something that failed; and what every status code of OpenCL means: its name, the
//! likely cause in a course like this one, and the next thing to try, in the words of the page
//! docs/error-codes.md, which is read here.

use std::fmt::{self, Display, Formatter};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// One status code and what to do about it.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The number that the driver returned.
    pub code: i32,
    /// Its name in the headers.
    pub name: &'static str,
    /// What the name means, in one sentence.
    pub meaning: &'static str,
    /// Why a learner usually meets it.
    pub cause: &'static str,
    /// The next thing to try.
    pub next: &'static str,
}

/// Every code, in the order of the headers.
static CODES: LazyLock<Vec<Code>> = LazyLock::new(|| {
    let page = include_str!("../../../docs/error-codes.md");
    page.lines().filter_map(row).collect()
});

/// A row of the page's table; `None` for every other line.
fn row(line: &'static str) -> Option<Code> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let [_, code, name, meaning, cause, next, _] = cells[..] else { return None };
    Some(Code { code: code.parse().ok()?, name, meaning, cause, next })
}

/// Looks a status code up.
pub fn explain(code: i32) -> Option<&'static Code> {
    CODES.iter().find(|known| known.code == code)
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

    /// The same, which this variable of the environment has brought about.
    pub fn unset(variable: &str, happened: impl Into<String>) -> Told {
        Told::new(happened, Some(&format!("unset {variable}")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_headers_is_explained_once() {
        let headers = (-19..=0).chain(-72..=-30).chain([-1001, -2000, -2001]);
        for number in headers {
            let count = CODES.iter().filter(|known| known.code == number).count();
            assert_eq!(count, 1, "code {number}");
        }
    }

    #[test]
    fn names_agree_with_the_ones_of_the_bindings() {
        for known in CODES.iter().filter(|known| (-72..=0).contains(&known.code)) {
            let theirs = opencl3::error_codes::ClError(known.code).to_string();
            assert_eq!(theirs, known.name, "code {}", known.code);
        }
    }

    #[test]
    fn an_unknown_code_has_no_explanation() {
        assert!(explain(-4242).is_none());
    }

    #[test]
    fn a_damaged_page_explains_less() {
        let page = include_str!("../../../docs/error-codes.md");
        let page = &page[..page.floor_char_boundary(4000)];
        damage::must_be_survived(page.as_bytes(), |bytes| {
            let text = String::from_utf8_lossy(bytes).into_owned().leak();
            assert!(text.lines().filter_map(row).count() <= bytes.len());
        });
    }
}
