//! Gives the module the version that the page looks for.

mod version;

use std::path::Path;

fn main() -> std::io::Result<()> {
    version::declare(Path::new("../.."))
}
