//! A field that is something short, or a table or list.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

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
        struct Either<P, T>(std::marker::PhantomData<(P, T)>);
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
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Or<P, T>, E> {
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
        from.deserialize_any(Either(std::marker::PhantomData))
    }
}
