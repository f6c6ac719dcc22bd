//! Calls with whatever fits the parameters: none of them panics.

use json_tree::json;
use proptest::{collection, prelude::*, sample};

use super::value;
use crate::{
    function::{Overload, Price},
    library::FUNCTIONS,
    types::Sig,
    value::Value,
};

/// A value that fits a parameter.
fn arbitrary(of: Sig) -> BoxedStrategy<Value<'static>> {
    let texts = || {
        prop_oneof![
            any::<String>(),
            "[-+]?[0-9.]{0,40}[eEinumkKMGTP]{0,3}[-+0-9]{0,12}",
            "[0-9a-fA-F:.%/\\[\\]]{0,45}",
            "(http|ftp)?:?/{0,3}[a-z@:%\\[\\]0-9 ?&=;#é/]{0,30}",
            "v?[0-9]{0,21}[.][0-9]{0,3}[.]?[-+.a-z0-9]{0,9}",
            "(%[.]?[0-9]{0,2}[sdfebxXo%é]?){0,4}",
            "([0-9]{4}-[0-9]{2}-[0-9]{2}[tTé]?[0-9:.]{0,12}[zZ]?)|[A-Za-z0-9+/]{0,8}={0,3}",
        ]
    };
    match of {
        Sig::String => texts().prop_map(Value::string).boxed(),
        Sig::Int => prop_oneof![-3..40i64, any::<i64>()].prop_map(Value::Int).boxed(),
        Sig::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Sig::List(of) => collection::vec(arbitrary(*of), 0..4).prop_map(Value::list).boxed(),
        Sig::Optional(of) => proptest::option::of(arbitrary(*of)).prop_map(Value::optional).boxed(),
        Sig::Opaque(_) => sample::select(
            [
                "#string_to_url https://[::1]:8/a?b",
                "#string_to_quantity 1.5Gi",
                "#string_to_quantity 7e99999",
            ]
            .into_iter()
            .chain(["#string_to_ip ::1", "#string_to_cidr 1.2.3.4/0", "#string_to_cidr ::/128"])
            .chain(["#string_to_semver 1.2.3-a", "#optional_value #format-named datetime"])
            .collect::<Vec<_>>(),
        )
        .prop_map(|call| {
            let mut words: Vec<&str> = call.split(' ').collect();
            let mut json = json!(words.pop());
            while let Some(id) = words.pop() {
                json = json!([id, json]);
            }
            // What a library makes does not point into its arguments.
            match value(&json) {
                Ok(Value::Opaque(value)) => Value::Opaque(value),
                _ => Value::Null,
            }
        })
        .boxed(),
        _ => prop_oneof![
            texts().prop_map(Value::string),
            any::<i64>().prop_map(Value::Int),
            any::<f64>().prop_map(Value::Double),
            any::<bool>().prop_map(Value::Bool),
            Just(Value::Null),
            Just(Value::list(vec![Value::Int(1), Value::Null])),
            any::<i64>().prop_map(|nanos| Value::Duration(crate::value::Duration(nanos))),
        ]
        .boxed(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2000)))]

    #[test]
    fn no_call_panics(
        (overload, arguments) in (0..1000usize).prop_flat_map(|number| {
            let all: Vec<&Overload> =
                FUNCTIONS.iter().flat_map(|table| table.iter()).flat_map(|function| function.overloads).collect();
            let overload = all[number % all.len()];
            let arguments: Vec<_> = overload.params.iter().map(|of| arbitrary(*of)).collect();
            (Just(overload), arguments)
        })
    ) {
        if let (Ok(result), Price::By { actual, .. }) = ((overload.call)(&arguments), overload.price) {
            actual(&arguments, &result);
        }
    }
}
