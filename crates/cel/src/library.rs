//! The libraries that Kubernetes adds to the language.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#cel-options-language-features-and-libraries>. Here are those
//! of version 1.36. A library is a file with a table; what its functions do with texts and numbers is in `golang` and in
//! files that know nothing of values: [`characters`], [`version`], [`names`].

pub(crate) mod authorizer;
mod characters;
mod collections;
pub(crate) mod format;
mod formats;
mod lists;
mod names;
mod networks;
mod number_text;
mod optionals;
mod patches;
pub(crate) mod prices;
mod quantities;
mod regexes;
mod sets;
mod strings;
mod urls;
mod version;
mod versions;

use crate::function::Function;

/// The tables of all libraries.
pub(crate) const FUNCTIONS: &[&[Function]] = &[
    strings::FUNCTIONS,
    lists::FUNCTIONS,
    collections::FUNCTIONS,
    regexes::FUNCTIONS,
    urls::FUNCTIONS,
    quantities::FUNCTIONS,
    networks::FUNCTIONS,
    versions::FUNCTIONS,
    formats::FUNCTIONS,
    optionals::FUNCTIONS,
    sets::FUNCTIONS,
    authorizer::FUNCTIONS,
];

/// The tables of what only expressions may call that make patches.
pub(crate) const FOR_PATCHES: &[&[Function]] = &[patches::FUNCTIONS];

/// The code of an overload: values of which shape it takes, and what it makes of them. Of others it makes an error.
macro_rules! call {
    (|$($argument:pat_param),*| $result:expr) => {
        |arguments| match arguments {
            [$($argument),*] => $result,
            _ => Err(crate::error::Error::no_such_overload()),
        }
    };
}

/// An overload of a function that is called on its first argument.
macro_rules! member {
    ($id:expr, $params:expr => $result:expr, $price:expr, |$($argument:pat_param),*| $value:expr) => {
        crate::function::Overload {
            id: $id,
            member: true,
            params: &$params,
            result: $result,
            call: super::call!(|$($argument),*| $value),
            price: $price,
        }
    };
}

/// An overload of a function that is called by its name.
macro_rules! global {
    ($id:expr, $params:expr => $result:expr, $price:expr, |$($argument:pat_param),*| $value:expr) => {
        crate::function::Overload {
            id: $id,
            member: false,
            params: &$params,
            result: $result,
            call: super::call!(|$($argument),*| $value),
            price: $price,
        }
    };
}

/// A type of this library's own, and its name. Its values are equal if Rust says so.
macro_rules! opaque {
    ($type:ty, $name:expr) => {
        impl crate::value::Opaque for $type {
            fn type_name(&self) -> &'static str {
                $name
            }

            fn equals(&self, other: &dyn crate::value::Opaque) -> bool {
                other.as_any().downcast_ref() == Some(self)
            }

            fn as_any(&self) -> &dyn std::any::Any {
                self
            }
        }
    };
}

use {call, global, member, opaque};

#[cfg(test)]
mod expressions;
#[cfg(test)]
mod tests;
