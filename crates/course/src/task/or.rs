//! A field that is something short, or a table.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// Something short, or a table.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Or<P, T> {
    /// A word or a number.
    Plain(P),
    /// A table.
    Table(T),
}

impl<'de, P: Deserialize<'de>, T: Deserialize<'de>> Deserialize<'de> for Or<P, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either<P, T>(std::marker::PhantomData<(P, T)>);
        impl<'de, P: Deserialize<'de>, T: Deserialize<'de>> Visitor<'de> for Either<P, T> {
            type Value = Or<P, T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, a text or a table")
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
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Or<P, T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Or::Table)
            }
        }
        from.deserialize_any(Either(std::marker::PhantomData))
    }
}
