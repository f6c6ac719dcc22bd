//! URLs and their parts.
//!
//! See <https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-url-library>.

use super::{
    global,
    location::{Location, check},
    member, opaque,
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
                match Location::parse(text) {
                    Ok(url) => Ok(Value::opaque(url)),
                    Err(why) => Err(Error::new(["URL parse error during conversion from string: ", &why].concat())),
                }
            }),
        ],
    },
    Function {
        name: "isURL",
        overloads: &[global!("is_url_string", [String] => Bool, ONE, |Value::String(text)| {
            Ok(Value::Bool(check(text).is_ok()))
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
        overloads: &[
            member!("url_get_hostname", [Of(NAME)] => String, ONE, |url| part(url, Location::hostname)),
        ],
    },
    Function {
        name: "getPort",
        overloads: &[member!("url_get_port", [Of(NAME)] => String, ONE, |url| part(url, Location::port))],
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
            let parameters = url.downcast::<Location>().map(Location::parameters).unwrap_or_default();
            let entries = parameters.into_iter().map(|(key, values)| (Value::string(key), list(&values))).collect();
            Ok(Value::Map(Entries::new(entries)))
        })],
    },
];

fn part<'a>(url: &Value<'a>, of: fn(&Location) -> &str) -> Result<Value<'a>, Error> {
    url.downcast().map(|url| Value::string(of(url))).ok_or_else(Error::no_such_overload)
}

opaque!(Location, NAME);
