//! The programs for envtest, which starts `kube-apiserver` and `etcd` from the folder in `KUBEBUILDER_ASSETS`.
//!
//! See <https://book.kubebuilder.io/reference/envtest.html>.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The names of the programs.
const PROGRAMS: [&str; 2] = ["kube-apiserver", "etcd"];

/// The reason why a program is not put into a folder.
#[derive(Debug, thiserror::Error)]
#[error("cannot put {} there: {source}", path.display())]
pub struct Error {
    path: PathBuf,
    source: io::Error,
}

/// Puts a program into a folder by the names that envtest asks for, in place of what has them, as links to one file where that is
/// possible.
///
/// # Errors
/// A file cannot be made.
pub fn install(program: &Path, folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|source| Error { path: folder.to_owned(), source })?;
    for name in PROGRAMS {
        let path = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
        put(program, &path).map_err(|source| Error { path, source })?;
    }
    Ok(())
}

/// Makes the new file beside the old one, which may run, and puts it in its place.
fn put(program: &Path, path: &Path) -> io::Result<()> {
    let new = path.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // Another file system has no links to this one's files.
    fs::hard_link(program, &new).or_else(|_| fs::copy(program, &new).map(drop))?;
    fs::rename(&new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_put_in_place_of_others() {
        let home = tempfile::tempdir().unwrap();
        let (program, folder) = (home.path().join("kubeglass"), home.path().join("a/b"));
        for content in ["one", "two"] {
            let _ = fs::remove_file(&program);
            fs::write(&program, content).unwrap();
            install(&program, &folder).unwrap();
            let mut found: Vec<_> =
                fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            found.sort();
            let names: Vec<_> =
                found.iter().map(|path| path.file_stem().unwrap().to_str().unwrap()).collect();
            assert_eq!(names, ["etcd", "kube-apiserver"]);
            assert!(found.iter().all(|path| fs::read_to_string(path).unwrap() == content));
        }
        let failed = install(&program, &program).unwrap_err();
        assert!(failed.to_string().starts_with(&format!("cannot put {} there: ", program.display())));
    }
}
