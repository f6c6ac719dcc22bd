//! The warnings to writers of objects of the kind ResourceSlice.

use json_tree::Value;

use field::quote;

pub(super) fn warn(slice: &Value, _: Option<&Value>) -> Vec<String> {
    let driver = slice["spec"].text("driver");
    if !driver.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Vec::new();
    }
    let driver = quote(driver);
    vec![format!("spec.driver: driver names should be lowercase; {driver} contains uppercase characters")]
}
