//! What a command left behind, and what tests assert of it.

use serde_json::Value;

/// What a command left behind.
#[derive(Clone)]
pub struct Outcome {
    pub(crate) line: String,
    /// The exit status; `None` after a signal.
    pub status: Option<i32>,
    /// What it printed as its result.
    pub stdout: String,
    /// Everything else that it said.
    pub stderr: String,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Outcome { line, status, stdout, stderr } = self;
        write!(f, "{line}\nended with {status:?}\n{stdout}--- stderr\n{stderr}")
    }
}

impl Outcome {
    /// Asserts the exit status.
    #[track_caller]
    pub fn ends_with(self, status: i32) -> Outcome {
        assert_eq!(self.status, Some(status), "{self}");
        self
    }

    /// Asserts an error: its exit status, and all of these words in its message.
    #[track_caller]
    pub fn fails(self, status: i32, words: &[&str]) -> Outcome {
        let outcome = self.ends_with(status);
        for word in words {
            assert!(outcome.stderr.contains(word), "no \"{word}\" in\n{outcome}");
        }
        outcome
    }

    /// Asserts words in the result.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Outcome {
        for word in words {
            assert!(self.stdout.contains(word), "no \"{word}\" in\n{self}");
        }
        self
    }

    /// The results of `--json`.
    pub fn records(&self) -> Vec<Value> {
        json_lines(&self.stdout)
    }

    /// The results of `--json` that a device computed.
    pub fn device_records(&self) -> Vec<Value> {
        let records = self.records().into_iter();
        records.filter(|record| record["platform"] != "host").collect()
    }
}

pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("not JSON: {line}")))
        .collect()
}
