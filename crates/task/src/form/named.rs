//! Names with their values, in the order of the file.

use serde::{Deserialize, Serialize, Serializer};
use verify::formula::Formula;

/// Names with their values, in the order of the file. One may have a list of them: of a lesson's
/// row it takes one after the other.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "toml::Table")]
pub struct Named(Vec<(String, Vec<Formula>)>);

impl Named {
    /// All of them, each with its first value.
    pub fn firsts(&self) -> impl Iterator<Item = (&str, &Formula)> {
        let all = self.0.iter();
        all.filter_map(|(name, values)| Some((&**name, values.first()?)))
    }

    /// All of them, each with all its values.
    pub fn lists(&self) -> impl Iterator<Item = (&str, &[Formula])> {
        self.0.iter().map(|(name, values)| (&**name, &values[..]))
    }
}

/// What is known gets another value.
impl<V: Into<Formula>> Extend<(String, V)> for Named {
    fn extend<I: IntoIterator<Item = (String, V)>>(&mut self, more: I) {
        for (name, value) in more {
            let value = vec![value.into()];
            match self.0.iter_mut().find(|(other, _)| *other == name) {
                Some(known) => known.1 = value,
                None => self.0.push((name, value)),
            }
        }
    }
}

impl TryFrom<toml::Table> for Named {
    type Error = toml::de::Error;

    fn try_from(table: toml::Table) -> Result<Named, toml::de::Error> {
        let read = |(name, value): (String, toml::Value)| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if !name.chars().all(is_plain) || name.starts_with(|c: char| c.is_ascii_digit()) {
                let why = format!("{name:?} is no name: letters, digits and _ make one");
                return Err(serde::de::Error::custom(why));
            }
            let formula = |value: toml::Value| match value {
                // A macro's may be any text.
                toml::Value::String(text) => Ok(text.into()),
                number => Formula::deserialize(number),
            };
            let values = match value {
                toml::Value::Array(all) => {
                    all.into_iter().map(formula).collect::<Result<_, _>>()?
                }
                one => vec![formula(one)?],
            };
            Ok((name, values))
        };
        table.into_iter().map(read).collect::<Result<_, _>>().map(Named)
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, values)| (name, values)))
    }
}
