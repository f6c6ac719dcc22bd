//! Values as they are written in JSON.

use std::fmt::Display;

use serde::Serialize;

use crate::{Map, Value, to_value};

/// The value that is written in JSON, with expressions where values or keys may be.
///
/// ```
/// use kubeglass_json_tree::json;
///
/// let (key, items) = ("b", vec![1, 2]);
/// let value = json!({"a": [null, {"x": 1 + 1}], key: items, (key.repeat(2)): {}});
/// assert_eq!(value.to_string(), r#"{"a":[null,{"x":2}],"b":[1,2],"bb":{}}"#);
/// ```
#[macro_export]
macro_rules! json {
    // The items of a list.
    (@items $list:ident) => {};
    (@items $list:ident null $(, $($rest:tt)*)?) => {
        $list.push($crate::Value::Null);
        $crate::json!(@items $list $($($rest)*)?);
    };
    (@items $list:ident [ $($inside:tt)* ] $(, $($rest:tt)*)?) => {
        $list.push($crate::json!([ $($inside)* ]));
        $crate::json!(@items $list $($($rest)*)?);
    };
    (@items $list:ident { $($inside:tt)* } $(, $($rest:tt)*)?) => {
        $list.push($crate::json!({ $($inside)* }));
        $crate::json!(@items $list $($($rest)*)?);
    };
    (@items $list:ident $item:expr $(, $($rest:tt)*)?) => {
        $list.push($crate::json!($item));
        $crate::json!(@items $list $($($rest)*)?);
    };
    // The entries of an object: what has been seen of a key, and what follows.
    (@entries $map:ident ()) => {};
    (@entries $map:ident ($($key:tt)+) : null $(, $($rest:tt)*)?) => {
        $crate::put(&mut $map, ($($key)+).as_ref(), $crate::Value::Null);
        $crate::json!(@entries $map () $($($rest)*)?);
    };
    (@entries $map:ident ($($key:tt)+) : [ $($inside:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::put(&mut $map, ($($key)+).as_ref(), $crate::json!([ $($inside)* ]));
        $crate::json!(@entries $map () $($($rest)*)?);
    };
    (@entries $map:ident ($($key:tt)+) : { $($inside:tt)* } $(, $($rest:tt)*)?) => {
        $crate::put(&mut $map, ($($key)+).as_ref(), $crate::json!({ $($inside)* }));
        $crate::json!(@entries $map () $($($rest)*)?);
    };
    (@entries $map:ident ($($key:tt)+) : $value:expr $(, $($rest:tt)*)?) => {
        $crate::put(&mut $map, ($($key)+).as_ref(), $crate::json!($value));
        $crate::json!(@entries $map () $($($rest)*)?);
    };
    (@entries $map:ident () ($key:expr) : $($rest:tt)*) => {
        $crate::json!(@entries $map ($key) : $($rest)*);
    };
    (@entries $map:ident ($($key:tt)*) $more:tt $($rest:tt)*) => {
        $crate::json!(@entries $map ($($key)* $more) $($rest)*);
    };
    (null) => {
        $crate::Value::Null
    };
    ([]) => {
        $crate::Value::Array(::std::vec::Vec::new())
    };
    ([ $($items:tt)+ ]) => {{
        let mut list = ::std::vec::Vec::new();
        $crate::json!(@items list $($items)+);
        $crate::Value::Array(list)
    }};
    ({}) => {
        $crate::Value::Object($crate::Map::new())
    };
    ({ $($entries:tt)+ }) => {{
        let mut map = $crate::Map::new();
        $crate::json!(@entries map () $($entries)+);
        $crate::Value::Object(map)
    }};
    ($value:expr) => {
        $crate::value_of(&$value)
    };
}

/// Puts an entry into an object that is being written. Said once, for there are many of them, and some programs have to be
/// small.
#[doc(hidden)]
#[inline(never)]
pub fn put(map: &mut Map<String, Value>, key: &str, value: Value) {
    map.insert(key.to_owned(), value);
}

/// An expression as a value.
#[doc(hidden)]
pub fn value_of<T: Serialize + ?Sized>(value: &T) -> Value {
    match to_value(value) {
        Ok(value) => value,
        Err(error) => no_value(&error),
    }
}

#[cold]
#[inline(never)]
fn no_value(error: &dyn Display) -> ! {
    panic!("{error}")
}
