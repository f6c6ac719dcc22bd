//! Values as they are written in JSON.

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
        $map.insert(($($key)+).into(), $crate::Value::Null);
        $crate::json!(@entries $map () $($($rest)*)?);
    };
    (@entries $map:ident ($($key:tt)+) : [ $($inside:tt)* ] $(, $($rest:tt)*)?) => {
        $map.insert(($($key)+).into(), $crate::json!([ $($inside)* ]));
        $crate::json!(@entries $map () $($($rest)*)?);
    };
    (@entries $map:ident ($($key:tt)+) : { $($inside:tt)* } $(, $($rest:tt)*)?) => {
        $map.insert(($($key)+).into(), $crate::json!({ $($inside)* }));
        $crate::json!(@entries $map () $($($rest)*)?);
    };
    (@entries $map:ident ($($key:tt)+) : $value:expr $(, $($rest:tt)*)?) => {
        $map.insert(($($key)+).into(), $crate::json!($value));
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
        match $crate::to_value(&$value) {
            ::std::result::Result::Ok(value) => value,
            ::std::result::Result::Err(error) => panic!("{error}"),
        }
    };
}
