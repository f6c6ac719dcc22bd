//! The page's two style sheets, joined of the files that stand beside the components which they are for.
//!
//! The first is there before anything is painted. The second comes with the chunks (see [`have_awaited`]), and so has
//! only rules for what they show. Where two rules weigh the same, the one in the file that stands later in the tables wins.

use std::path::Path;
use std::{fs, io};

use crate::files::text;
use crate::pack::SCRIPT;

/// The files of the first sheet, in the order in which their rules are to apply.
pub(crate) const FIRST: [&str; 16] = [
    "static/style.css",
    "src/shell/views.css",
    "src/shell/panes.css",
    "src/shell/header.css",
    "src/resources.css",
    "src/request/history.css",
    "src/request/view.css",
    "src/ui/combobox.css",
    "src/response/tree.css",
    "src/response/view.css",
    "src/shell/crash.css",
    "src/timeline/view.css",
    "src/timeline/ribbon/view.css",
    "src/watches/strip.css",
    "src/aside.css",
    "src/shell/layout.css",
];

/// Those of the second.
pub(crate) const LATER: [&str; 34] = [
    "src/ui/changes.css",
    "src/ui/dialog.css",
    "src/ui/event-type.css",
    "src/ui/file.css",
    "src/request/editor/view.css",
    "src/request/controls.css",
    "src/request/tabs.css",
    "src/response/bytes/view.css",
    "src/response/next.css",
    "src/response/against.css",
    "src/response/webhooks.css",
    "src/timeline/rails/view.css",
    "src/timeline/waterfall/view.css",
    "src/timeline/owners.css",
    "src/timeline/past/view.css",
    "src/watches/view.css",
    "src/lab.css",
    "src/why/view.css",
    "src/change/trial.css",
    "src/change/owned.css",
    "src/change/going.css",
    "src/policy/view.css",
    "src/access/view.css",
    "src/access/who.css",
    "src/explore/view.css",
    "src/browse/view.css",
    "src/tour/view.css",
    "src/kept/view.css",
    "src/learn/view.css",
    "src/learn/present.css",
    "src/learn/write.css",
    "src/manifest/view.css",
    "src/shell/palette.css",
    "src/shell/address.css",
];

/// The expression that the script of chunks awaits before it gives a chunk: the chunks that this one needs.
const WAITS: &str = "deps.map(d => d())";

/// The expression that it awaits instead: also the second sheet and the texts of chunks, which the page's script (`static/boot.js`)
/// knows how to get. An engine shows nothing.
const WAITS_FOR_MORE: &str = "[...deps.map(d => d()), globalThis.kubeglass?.prepareChunks?.()]";

/// Has the script of chunks in a folder give none before the second sheet is there.
///
/// # Errors
/// The script cannot be read or written, or does not wait in the way that is known.
pub(crate) fn have_awaited(folder: &Path) -> io::Result<()> {
    let script = folder.join(SCRIPT);
    let loads = fs::read_to_string(&script)?;
    if !loads.contains(WAITS) {
        return Err(io::Error::other(format!("{SCRIPT} has no {WAITS}")));
    }
    fs::write(script, loads.replace(WAITS, WAITS_FOR_MORE))
}

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
