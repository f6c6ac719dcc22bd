//! URLs and their parts.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-url-library>.

use std::collections::{HashMap, hash_map::Entry};

use golang::url::{Url, parse_query};

use super::{
    global, member, opaque,
    prices::{ONE, READ_AND_SHORTEN},
    strings::list,
};
use crate::{
    error::Error,
    function::Function,
    types::Sig::{Bool, List, Map, Opaque as Of, String},
    value::{Map as Entries, Value},
};

const NAME: &str = "kubernetes.URL";

/// The table of this library.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "url",
        overloads: &[
            global!("string_to_url", [String] => Of(NAME), READ_AND_SHORTEN, |Value::String(text)| {
                // The first knows no fragments, and the second takes relative paths.
                match Url::parse_request_uri(text).and_then(|_| Url::parse(text)) {
                    Ok(url) => Ok(Value::opaque(url)),
                    Err(why) => Err(Error::new(["URL parse error during conversion from string: ", &why].concat())),
                }
            }),
        ],
    },
    Function {
        name: "isURL",
        overloads: &[global!("is_url_string", [String] => Bool, ONE, |Value::String(text)| {
            Ok(Value::Bool(Url::parse_request_uri(text).is_ok()))
        })],
    },
    Function {
        name: "getScheme",
        overloads: &[
            member!("url_get_scheme", [Of(NAME)] => String, ONE, |url| part(url, |url| &url.scheme)),
        ],
    },
    Function {
        name: "getHost",
        overloads: &[member!("url_get_host", [Of(NAME)] => String, ONE, |url| part(url, |url| &url.host))],
    },
    Function {
        name: "getHostname",
        overloads: &[member!("url_get_hostname", [Of(NAME)] => String, ONE, |url| part(url, Url::hostname))],
    },
    Function {
        name: "getPort",
        overloads: &[member!("url_get_port", [Of(NAME)] => String, ONE, |url| part(url, Url::port))],
    },
    Function {
        name: "getEscapedPath",
        overloads: &[
            member!("url_get_escaped_path", [Of(NAME)] => String, ONE, |url| part(url, |url| &url.path)),
        ],
    },
    Function {
        name: "getQuery",
        overloads: &[member!("url_get_query", [Of(NAME)] => Map(&String, &List(&String)), ONE, |url| {
            let parameters = url.downcast().map(parameters).unwrap_or_default();
            let entries = parameters.into_iter().map(|(key, values)| (Value::string(key), list(&values))).collect();
            Ok(Value::Map(Entries::new(entries)))
        })],
    },
];

/// Returns the parameters of a query, with all values that each has.
fn parameters(url: &Url) -> Vec<(std::string::String, Vec<std::string::String>)> {
    let mut parameters: Vec<(std::string::String, Vec<_>)> = Vec::new();
    let mut places: HashMap<_, usize> = HashMap::new();
    for (key, value) in parse_query(&url.query) {
        match places.entry(key) {
            Entry::Occupied(place) => parameters[*place.get()].1.push(value),
            Entry::Vacant(place) => {
                parameters.push((place.key().clone(), vec![value]));
                place.insert(parameters.len() - 1);
            }
        }
    }
    parameters
}

fn part<'a>(url: &Value<'a>, of: fn(&Url) -> &str) -> Result<Value<'a>, Error> {
    url.downcast().map(|url| Value::string(of(url))).ok_or_else(Error::no_such_overload)
}

opaque!(Url, NAME);
