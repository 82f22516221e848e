//! The generated types and their JSON: unknown fields and unknown values of enumerations survive.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

/// Fields that this version of the library does not know, by their names.
pub type Extra = Map<String, Value>;

/// A field that may be left out, and may be null: in a change, null removes what is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Maybe<T> {
    /// The field is not sent, or was not there.
    #[default]
    Absent,
    /// The field is null.
    Null,
    /// The field has a value.
    Value(T),
}

impl<T> Maybe<T> {
    /// The value, if there is one.
    #[must_use]
    pub fn get(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }
}

impl<T> From<T> for Maybe<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

/// The fault in a JSON value, and where.
#[derive(Clone, Debug)]
pub struct Fault(String);

impl Fault {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn within(self, kind: &str, field: &str) -> Self {
        Self(format!("{kind}.{field}: {}", self.0))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A type of the contract.
pub trait Wire: Sized {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// The fault, and where.
    fn from_json(value: Value) -> Result<Self, Fault>;

    /// The value of a field that the contract requires and an older server does not have.
    ///
    /// # Errors
    ///
    /// Nothing stands for it.
    #[doc(hidden)]
    fn absent() -> Result<Self, Fault> {
        Err(Fault::new("the field is missing"))
    }
}

fn other(wanted: &str, value: &Value) -> Fault {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Fault(format!("{found} in place of {wanted}"))
}

impl Wire for String {
    fn from_json(value: Value) -> Result<Self, Fault> {
        match value {
            Value::String(text) => Ok(text),
            found => Err(other("a text", &found)),
        }
    }

    fn absent() -> Result<Self, Fault> {
        Ok(Self::new())
    }
}

impl Wire for bool {
    fn from_json(value: Value) -> Result<Self, Fault> {
        value.as_bool().ok_or_else(|| other("a boolean", &value))
    }

    fn absent() -> Result<Self, Fault> {
        Ok(false)
    }
}

impl Wire for i64 {
    fn from_json(value: Value) -> Result<Self, Fault> {
        value.as_i64().ok_or_else(|| other("a whole number", &value))
    }

    fn absent() -> Result<Self, Fault> {
        Ok(0)
    }
}

impl Wire for f64 {
    fn from_json(value: Value) -> Result<Self, Fault> {
        value.as_f64().ok_or_else(|| other("a number", &value))
    }

    fn absent() -> Result<Self, Fault> {
        Ok(0.0)
    }
}

impl Wire for Value {
    fn from_json(value: Value) -> Result<Self, Fault> {
        Ok(value)
    }

    fn absent() -> Result<Self, Fault> {
        Ok(Value::Null)
    }
}

impl<T: Wire> Wire for Option<T> {
    fn from_json(value: Value) -> Result<Self, Fault> {
        match value {
            Value::Null => Ok(None),
            some => T::from_json(some).map(Some),
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn from_json(value: Value) -> Result<Self, Fault> {
        match value {
            Value::Array(items) => items.into_iter().map(T::from_json).collect(),
            found => Err(other("a list", &found)),
        }
    }

    fn absent() -> Result<Self, Fault> {
        Ok(Self::new())
    }
}

impl<T: Wire> Wire for BTreeMap<String, T> {
    fn from_json(value: Value) -> Result<Self, Fault> {
        let Value::Object(members) = value else {
            return Err(other("an object", &value));
        };
        members.into_iter().map(|(name, each)| Ok((name, T::from_json(each)?))).collect()
    }

    fn absent() -> Result<Self, Fault> {
        Ok(Self::new())
    }
}

pub(crate) fn members(value: Value) -> Result<Extra, Fault> {
    match value {
        Value::Object(members) => Ok(members),
        found => Err(other("an object", &found)),
    }
}

/// How a field is read, by its kind.
pub(crate) mod take {
    use super::{Extra, Fault, Maybe, Wire};

    pub(crate) fn required<T: Wire>(from: &mut Extra, name: &str) -> Result<T, Fault> {
        T::from_json(from.remove(name).ok_or_else(|| Fault::new("the field is missing"))?)
    }

    pub(crate) fn nullable<T: Wire>(from: &mut Extra, name: &str) -> Result<Option<T>, Fault> {
        required(from, name)
    }

    pub(crate) fn usual<T: Wire>(from: &mut Extra, name: &str) -> Result<T, Fault> {
        from.remove(name).map_or_else(T::absent, T::from_json)
    }

    pub(crate) fn usual_nullable<T: Wire>(from: &mut Extra, name: &str) -> Result<Option<T>, Fault> {
        optional(from, name)
    }

    pub(crate) fn optional<T: Wire>(from: &mut Extra, name: &str) -> Result<Option<T>, Fault> {
        from.remove(name).map_or(Ok(None), Option::from_json)
    }

    pub(crate) fn maybe<T: Wire>(from: &mut Extra, name: &str) -> Result<Maybe<T>, Fault> {
        Ok(match from.remove(name) {
            None => Maybe::Absent,
            Some(value) => Option::from_json(value)?.map_or(Maybe::Null, Maybe::Value),
        })
    }
}

/// How a field is written, by its kind.
pub(crate) mod put {
    use super::Maybe;
    use serde::ser::{Serialize, SerializeMap};

    pub(crate) fn required<T: Serialize, S: SerializeMap>(
        to: &mut S,
        name: &str,
        value: &T,
    ) -> Result<(), S::Error> {
        to.serialize_entry(name, value)
    }

    pub(crate) fn nullable<T: Serialize, S: SerializeMap>(
        to: &mut S,
        name: &str,
        value: &Option<T>,
    ) -> Result<(), S::Error> {
        to.serialize_entry(name, value)
    }

    pub(crate) use {nullable as usual_nullable, required as usual};

    pub(crate) fn optional<T: Serialize, S: SerializeMap>(
        to: &mut S,
        name: &str,
        value: &Option<T>,
    ) -> Result<(), S::Error> {
        value.as_ref().map_or(Ok(()), |value| to.serialize_entry(name, value))
    }

    pub(crate) fn maybe<T: Serialize, S: SerializeMap>(
        to: &mut S,
        name: &str,
        value: &Maybe<T>,
    ) -> Result<(), S::Error> {
        match value {
            Maybe::Absent => Ok(()),
            Maybe::Null => to.serialize_entry(name, &()),
            Maybe::Value(value) => to.serialize_entry(name, value),
        }
    }
}

/// True if a field would be sent, by its kind.
pub(crate) mod is_set {
    use super::Maybe;

    pub(crate) fn required<T>(_: &T) -> bool {
        true
    }

    pub(crate) fn nullable<T>(_: &Option<T>) -> bool {
        true
    }

    #[allow(unused_imports)]
    pub(crate) use {nullable as usual_nullable, required as usual};

    // The contract has a request with such a field, or not.
    #[allow(dead_code)]
    pub(crate) fn optional<T>(value: &Option<T>) -> bool {
        value.is_some()
    }

    pub(crate) fn maybe<T>(value: &Maybe<T>) -> bool {
        !matches!(value, Maybe::Absent)
    }
}

/// The JSON of a type that is written out beside it: `shown` has a Debug of its own, and `hidden` shows the
/// names of the fields that are set, never what they hold.
macro_rules! object {
    (shown $name:ident { $($kind:ident $field:ident $json:literal,)* }) => {
        impl $crate::json::Wire for $name {
            fn from_json(value: serde_json::Value) -> Result<Self, $crate::json::Fault> {
                let within = |fault: $crate::json::Fault, field| fault.within(stringify!($name), field);
                #[allow(unused_mut)]
                let mut members =
                    $crate::json::members(value).map_err(|fault| within(fault, "*"))?;
                Ok(Self {
                    $($field: $crate::json::take::$kind(&mut members, $json)
                        .map_err(|fault| within(fault, $json))?,)*
                    extra: members,
                })
            }

            fn absent() -> Result<Self, $crate::json::Fault> {
                Self::from_json(serde_json::Value::Object(Default::default()))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap;
                let mut map = to.serialize_map(None)?;
                $($crate::json::put::$kind(&mut map, $json, &self.$field)?;)*
                for (name, value) in &self.extra {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let value = <serde_json::Value as serde::Deserialize>::deserialize(from)?;
                <Self as $crate::json::Wire>::from_json(value).map_err(serde::de::Error::custom)
            }
        }
    };
    (hidden $name:ident { $($kind:ident $field:ident $json:literal,)* }) => {
        $crate::json::object! { shown $name { $($kind $field $json,)* } }

        impl std::fmt::Debug for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut names: Vec<&str> = Vec::new();
                $(if $crate::json::is_set::$kind(&self.$field) { names.push($json); })*
                write!(out, concat!(stringify!($name), " {{ {} }}"), names.join(", "))
            }
        }
    };
}
pub(crate) use object;

/// An enumeration whose further values arrive as `Other`.
macro_rules! open_enum {
    ($(#[$doc:meta])* pub enum $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)*
            /// A value that this version of the library does not know.
            Other(String),
        }

        impl $name {
            /// The value as the contract writes it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::from(text.as_str())
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, text: &str) -> bool {
                self.as_str() == text
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, text: &&str) -> bool {
                self.as_str() == *text
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.as_str())
            }
        }

        impl $crate::json::Wire for $name {
            fn from_json(value: serde_json::Value) -> Result<Self, $crate::json::Fault> {
                String::from_json(value).map(Self::from)
            }

            fn absent() -> Result<Self, $crate::json::Fault> {
                Ok(Self::from(String::new()))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                <String as serde::Deserialize>::deserialize(from).map(Self::from)
            }
        }
    };
}
pub(crate) use open_enum;
