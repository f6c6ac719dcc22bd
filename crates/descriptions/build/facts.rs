//! Reading `facts/`: what no crate has.

use std::fs;

use crate::Packages;

/// Adds what the files say.
///
/// # Errors
/// A file cannot be read, or not be understood.
pub(crate) fn read(packages: &mut Packages) -> Result<(), String> {
    let read = |name: &str| {
        let path = ["facts/", name].concat();
        fs::read_to_string(&path).map_err(|error| format!("{path} cannot be read: {error}"))
    };
    descriptions(&read("descriptions.txt")?, packages)?;
    values(&read("enums.txt")?, packages)
}

/// The lines of a file that are no comments, with whether they begin with a space.
fn lines(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| (line.starts_with(' '), line.trim_start()))
}

/// Reads types and fields: `package Type description` and below that ` field description`.
fn descriptions(text: &str, packages: &mut Packages) -> Result<(), String> {
    let mut current = None;
    for (is_field, line) in lines(text) {
        if is_field {
            let (package, name) = current.as_ref().ok_or("a field without a type")?;
            let (field, about) = line.split_once(' ').ok_or_else(|| format!("no description: {line}"))?;
            let said = packages.entry(String::clone(package)).or_default().entry(String::clone(name));
            said.or_default().fields.entry(field.to_owned()).or_default().about = in_lines(about);
        } else {
            let (package, rest) = line.split_once(' ').ok_or_else(|| format!("no type: {line}"))?;
            let (name, about) = rest.split_once(' ').unwrap_or((rest, ""));
            if !about.is_empty() {
                let said = packages.entry(package.to_owned()).or_default().entry(name.to_owned());
                said.or_default().about = in_lines(about);
            }
            current = Some((package.to_owned(), name.to_owned()));
        }
    }
    Ok(())
}

fn in_lines(text: &str) -> String {
    text.replace('\u{2029}', "\n\n").replace('\u{2028}', "\n")
}

/// Reads values: `package Type.field Type.field` lines, and below them ` value`, a tab and its description.
fn values(text: &str, packages: &mut Packages) -> Result<(), String> {
    let mut fields: Vec<(String, String, String)> = Vec::new();
    let mut is_new = true;
    for (is_value, line) in lines(text) {
        if is_value {
            is_new = true;
            let (value, about) = line.split_once('\t').unwrap_or((line, ""));
            let value = if value == "\"\"" { "" } else { value };
            for (package, name, field) in &fields {
                let said = packages.entry(package.clone()).or_default().entry(name.clone()).or_default();
                let values = &mut said.fields.entry(field.clone()).or_default().values;
                values.push((value.to_owned(), about.to_owned()));
            }
            continue;
        }
        if std::mem::take(&mut is_new) {
            fields.clear();
        }
        let (package, names) = line.split_once(' ').ok_or_else(|| format!("no field: {line}"))?;
        for field in names.split(' ') {
            let (name, field) = field.split_once('.').ok_or_else(|| format!("no field: {field}"))?;
            let (field, ends_with_line) =
                field.strip_suffix('+').map_or((field, false), |field| (field, true));
            let said = packages.entry(package.to_owned()).or_default().entry(name.to_owned()).or_default();
            if ends_with_line {
                said.fields.entry(field.to_owned()).or_default().about.push('\n');
            }
            fields.push((package.to_owned(), name.to_owned(), field.to_owned()));
        }
    }
    Ok(())
}
