//! Paths with slashes, as Go's package `path` has them.
//!
//! See <https://pkg.go.dev/path>.

/// Returns the shortest path from the root that leads to the same place, as Go's `path.Join("/", path)` does.
///
/// ```
/// assert_eq!(golang::path::from_root("a//b/../c/"), "/a/c");
/// ```
pub fn from_root(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    ["/", &parts.join("/")].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_the_root() {
        for (path, expected) in [
            ("", "/"),
            ("/", "/"),
            ("//a//b/", "/a/b"),
            ("/a/../b", "/b"),
            ("/./", "/"),
            ("/..", "/"),
            ("../a", "/a"),
        ] {
            assert_eq!(from_root(path), expected, "{path}");
        }
    }
}
