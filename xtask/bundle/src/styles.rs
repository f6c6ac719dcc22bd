//! The page's two style sheets, joined of the files that stand beside the components which they are for.
//!
//! The first is there before anything is painted. The second comes with the chunks (see [`pack`](crate::pack)), and so has
//! only rules for what they show. Where two rules weigh the same, the one in the file that stands later in the tables wins.

use crate::index::text;
use std::path::Path;

/// The files of the first sheet, in the order in which their rules are to apply.
pub(crate) const FIRST: [&str; 19] = [
    "static/style.css",
    "src/ui/views.css",
    "src/ui/panes.css",
    "src/ui/header.css",
    "src/resources.css",
    "src/request/history.css",
    "src/request/view.css",
    "src/ui/combobox.css",
    "src/response/tree.css",
    "src/response/view.css",
    "src/ui/changes.css",
    "src/ui/event-type.css",
    "src/ui/dialog.css",
    "src/ui/crash.css",
    "src/timeline/view.css",
    "src/timeline/ribbon/view.css",
    "src/watches/strip.css",
    "src/aside.css",
    "src/ui/layout.css",
];

/// Those of the second.
pub(crate) const LATER: [&str; 22] = [
    "src/request/editor/view.css",
    "src/request/controls.css",
    "src/response/bytes/view.css",
    "src/response/next.css",
    "src/response/against.css",
    "src/timeline/rails/view.css",
    "src/timeline/waterfall/view.css",
    "src/timeline/past/view.css",
    "src/watches/view.css",
    "src/lab.css",
    "src/why/view.css",
    "src/change/trial.css",
    "src/change/owned.css",
    "src/change/going.css",
    "src/policy/view.css",
    "src/access/view.css",
    "src/explore/view.css",
    "src/tour/view.css",
    "src/kept/view.css",
    "src/manifest/view.css",
    "src/ui/palette.css",
    "src/ui/address.css",
];

/// Returns the text of a sheet.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn join(files: &[&str]) -> Result<String, String> {
    files
        .iter()
        .map(|file| text(Path::new(file)))
        .collect::<Result<Vec<_>, _>>()
        .map(|texts| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Lists the style sheets below a folder of the repository.
    fn sheets(folder: &Path, found: &mut Vec<String>) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for entry in fs::read_dir(root.join(folder)).expect("the folder can be read") {
            let path = folder.join(entry.expect("the folder can be read").file_name());
            if root.join(&path).is_dir() {
                sheets(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "css") {
                found.push(path.display().to_string());
            }
        }
    }

    #[test]
    fn every_style_sheet_is_in_one_of_the_tables() {
        let mut found = Vec::new();
        sheets(Path::new("src"), &mut found);
        sheets(Path::new("static"), &mut found);
        found.sort();
        let mut known = [&FIRST[..], &LATER].concat();
        known.sort_unstable();
        assert_eq!(found, known);
    }
}
