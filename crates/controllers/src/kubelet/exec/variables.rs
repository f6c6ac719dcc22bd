//! Variables: names with values, in the order in which they were set first.

/// The most variables of a container.
pub(super) const MOST_VARIABLES: usize = 2_000;

/// Variables with their values.
pub(in super::super) type Environment = Vec<(String, String)>;

/// Sets a variable.
pub(super) fn set(variables: &mut Vec<(String, String)>, name: &str, value: String) {
    match variables.iter_mut().find(|(own, _)| own == name) {
        Some(variable) => variable.1 = value,
        None => variables.push((name.to_owned(), value)),
    }
}
