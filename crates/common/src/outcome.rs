//! What came of a kernel. A record carries it; `--json` prints of it what it always did.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::stage::{Death, How, Stage};

/// What came of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Nothing yet.
    #[default]
    Begun,
    /// Its result is right.
    Right {
        /// Elements compared, where they are counted: none where nobody said what is right.
        compared: Option<usize>,
        /// Whether it was right in every run, but not the same to the bit.
        varies: bool,
    },
    /// Its result is wrong: what that looks like.
    Wrong(verify::Differences),
    /// It did not run.
    Skipped(Skip),
    /// It took its process down.
    Died(Death),
}

impl Outcome {
    /// Right, where nobody counts what was compared.
    pub const RIGHT: Outcome = Outcome::Right { compared: None, varies: false };

    /// Right, where so many elements were compared.
    pub fn right(compared: usize) -> Outcome {
        Outcome::Right { compared: Some(compared), varies: false }
    }
}

/// Why a kernel did not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Skip {
    /// In words.
    Since(String),
    /// There is no time for more of it.
    TooLong,
}

impl Display for Skip {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            Skip::Since(why) => f.write_str(why),
            Skip::TooLong => f.write_str("it takes too long"),
        }
    }
}

/// The fields of a record, as `--json` prints them, that tell it.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Fields {
    /// Whether the result was checked and right.
    verified: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    varies: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    elements_compared: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    died: Option<String>,
}

/// Writes the outcome as a record's fields.
pub(crate) fn serialize<S: Serializer>(outcome: &Outcome, to: S) -> Result<S::Ok, S::Error> {
    let mut fields = Fields::default();
    match outcome {
        Outcome::Begun => (),
        Outcome::Right { compared, varies } => {
            (fields.verified, fields.varies) = (true, *varies);
            fields.elements_compared = *compared;
        }
        Outcome::Wrong(wrong) => fields.failed = Some(wrong.to_string()),
        Outcome::Skipped(skip) => fields.skipped = Some(skip.to_string()),
        Outcome::Died(death) => fields.died = Some(death.to_string()),
    }
    fields.serialize(to)
}

/// Reads it from a record's fields, of which a death has its words alone.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Outcome, D::Error> {
    let fields = Fields::deserialize(from)?;
    Ok(match (fields.died, fields.failed, fields.skipped) {
        (Some(how), ..) => {
            Outcome::Died(Death { how: How::Device(how.into()), stage: Stage::default() })
        }
        (_, Some(wrong), _) => Outcome::Wrong(wrong.into()),
        (.., Some(why)) => Outcome::Skipped(Skip::Since(why)),
        _ if fields.verified => {
            Outcome::Right { compared: fields.elements_compared, varies: fields.varies }
        }
        _ => Outcome::Begun,
    })
}
