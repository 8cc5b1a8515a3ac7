//! What a field of a form may be: a product's sizes, names with values, something short or a table or
//! list, and what is counted.

use std::{fmt, marker::PhantomData};

use indexmap::IndexMap;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use verify::{Formula, Shape};

/// The names of a product's sizes.
pub const SIDES: [&str; 3] = ["M", "N", "K"];

/// A product's sizes by their names.
pub(crate) fn sides_of(Shape { m, n, k }: Shape) -> Vec<(String, usize)> {
    SIDES.iter().zip([m, n, k]).map(|(name, side)| ((*name).into(), side)).collect()
}

/// Names with their values, in the order of the file. One may have a list of them: of a lesson's
/// row it takes one after the other.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(try_from = "IndexMap<String, Values>")]
pub struct Named(IndexMap<String, Vec<Formula>>);

impl Named {
    /// All of them, each with its first value.
    pub fn firsts(&self) -> impl Iterator<Item = (&str, &Formula)> {
        self.0.iter().filter_map(|(name, values)| Some((&**name, values.first()?)))
    }

    /// Whether a name is one of them.
    pub fn says(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether each has one value.
    pub fn is_plain(&self) -> bool {
        self.0.values().all(|values| values.len() == 1)
    }

    /// All of them with one value each, in every combination, the first one's changing slowest.
    pub fn each(&self) -> Vec<Named> {
        let mut all = vec![Named::default()];
        for (name, values) in &self.0 {
            let mut longer = Vec::new();
            for known in &all {
                for value in values {
                    let mut one = known.clone();
                    one.extend([(name.clone(), value.clone())]);
                    longer.push(one);
                }
            }
            all = longer;
        }
        all
    }
}

/// What is known gets another value.
impl<V: Into<Formula>> Extend<(String, V)> for Named {
    fn extend<I: IntoIterator<Item = (String, V)>>(&mut self, more: I) {
        self.0.extend(more.into_iter().map(|(name, value)| (name, vec![value.into()])));
    }
}

/// The same of a name in a file, where it may be any text.
type Values = Or<String, Vec<Or<String, ()>>>;

impl TryFrom<IndexMap<String, Values>> for Named {
    type Error = String;

    fn try_from(said: IndexMap<String, Values>) -> Result<Named, String> {
        let read = |(name, values): (String, Values)| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if !name.chars().all(is_plain) || name.starts_with(|c: char| c.is_ascii_digit()) {
                return Err(format!("{name:?} is no name: letters, digits and _ make one"));
            }
            let values = match values {
                Or::Plain(one) => vec![Formula::from(one)],
                Or::Table(all) => {
                    all.iter().filter_map(Or::plain).map(|one| (&**one).into()).collect()
                }
            };
            Ok((name, values))
        };
        said.into_iter().map(read).collect::<Result<_, _>>().map(Named)
    }
}

/// Something short, or a table or list.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Or<P, T> {
    /// A word or a number.
    Plain(P),
    /// A table, or a list.
    Table(T),
}

impl<P, T> Or<P, T> {
    /// What is short, if it is.
    pub fn plain(&self) -> Option<&P> {
        match self {
            Or::Plain(plain) => Some(plain),
            Or::Table(_) => None,
        }
    }
}

impl<'de, P: Deserialize<'de>, T: Deserialize<'de>> Deserialize<'de> for Or<P, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either<P, T>(PhantomData<(P, T)>);
        impl<'de, P: Deserialize<'de>, T: Deserialize<'de>> Visitor<'de> for Either<P, T> {
            type Value = Or<P, T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, a text, a table or a list")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Or<P, T>, E> {
                P::deserialize(text.into_deserializer()).map(Or::Plain)
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Or<P, T>, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Or<P, T>, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Or<P, T>, A::Error> {
                T::deserialize(SeqAccessDeserializer::new(list)).map(Or::Table)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Or<P, T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Or::Table)
            }
        }
        from.deserialize_any(Either(PhantomData))
    }
}

/// What can be counted: whole numbers, which no hardware blurs, as the trace of a launch in Oclgrind
/// has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Count {
    /// Elements read from global memory.
    GlobalLoads,
    /// Elements written there.
    GlobalStores,
    /// Elements read from local memory.
    LocalLoads,
    /// Elements written there.
    LocalStores,
    /// Instructions that load from global memory, whatever their width.
    LoadInstructions,
    /// The same of stores.
    StoreInstructions,
    /// Barriers that an item passes.
    Barriers,
    /// Sectors of 32 bytes that groups of 32 neighbouring items touch.
    Sectors,
}

impl Count {
    /// As the screen calls it, and of what, where that does not say it.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Count::GlobalLoads => ("global loads", " elements"),
            Count::GlobalStores => ("global stores", " elements"),
            Count::LocalLoads => ("local loads", " elements"),
            Count::LocalStores => ("local stores", " elements"),
            Count::LoadInstructions => ("load instructions", ""),
            Count::StoreInstructions => ("store instructions", ""),
            Count::Barriers => ("barriers", " for each item"),
            Count::Sectors => ("sectors", " of 32 bytes"),
        }
    }
}
