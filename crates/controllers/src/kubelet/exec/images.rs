//! Images of which it is known what they run: those of a bare system, and those of tutorials and tests with a server.
//!
//! See <https://kubernetes.io/docs/concepts/containers/images/>.

use super::files::Files;

/// The images of a bare system, by the last parts of their names. They run a shell, or what they are told.
const SYSTEMS: [&str; 6] = ["alpine", "busybox", "centos", "debian", "fedora", "ubuntu"];

/// The directories of images with a server. In another one, an image of the same name may run another server.
const DIRECTORIES: [&str; 2] = ["library", "e2e-test-images"];

/// A program that serves something.
struct Program {
    /// The images that run it, by the last parts of their names.
    images: &'static [&'static str],
    /// The words that are run before those of `args`, and those that are run instead of these.
    entry_point: &'static [&'static str],
    command: &'static [&'static str],
    /// The files that the images have.
    files: &'static [(&'static str, &'static str)],
}

const PROGRAMS: [Program; 3] = [
    Program {
        images: &["nginx", "nginx-slim"],
        entry_point: &[],
        command: &["nginx", "-g", "daemon off;"],
        files: &[
            ("/usr/sbin/nginx", ""),
            ("/usr/share/nginx/html/50x.html", "<h1>An error occurred.</h1>\n"),
            ("/usr/share/nginx/html/index.html", "<h1>Welcome to nginx!</h1>\n"),
        ],
    },
    Program {
        images: &["httpd"],
        entry_point: &[],
        command: &["httpd-foreground"],
        files: &[
            ("/usr/local/apache2/htdocs/index.html", "<html><body><h1>It works!</h1></body></html>\n"),
            ("/usr/local/bin/httpd-foreground", ""),
        ],
    },
    Program {
        images: &["agnhost"],
        entry_point: &["/agnhost"],
        command: &["pause"],
        files: &[("/agnhost", "")],
    },
];

/// Returns the last part of the name of an image, and what is before that.
fn split(image: &str) -> (&str, &str) {
    let name = image.split('@').next().unwrap_or_default();
    let (directory, last) = name.rsplit_once('/').unwrap_or(("", name));
    (last.split(':').next().unwrap_or_default(), directory)
}

/// Returns the program of an image whose server is known.
fn of_image(image: &str) -> Option<&'static Program> {
    let (last, directory) = split(image);
    let directory = directory.rsplit('/').next().unwrap_or_default();
    // The first part of a name may be a host.
    let is_known = directory.is_empty() || DIRECTORIES.contains(&directory) || directory.contains(['.', ':']);
    PROGRAMS.iter().find(|program| is_known && program.images.contains(&last))
}

/// Returns the words that an image runs, if it is given some, or none; `None` if it is not known what it runs.
pub(in super::super) fn command_of_image<'a>(image: &str, args: &[&'a str]) -> Option<Vec<&'a str>> {
    let (entry_point, command): (&[&'a str], &[&'a str]) = match of_image(image) {
        Some(program) => (program.entry_point, program.command),
        None if SYSTEMS.contains(&split(image).0) => (&[], &["sh"]),
        None => return None,
    };
    Some([entry_point, if args.is_empty() { command } else { args }].concat())
}

/// Adds the files of an image.
pub(super) fn add_files(files: &mut Files, image: &str) {
    for (path, text) in of_image(image).map_or(&[][..], |program| program.files) {
        files.add(path, text.as_bytes().to_vec());
    }
}

/// Reports whether a program with a name is missing because the image has none: it comes with some images alone.
pub(super) fn lack(files: &Files, name: &str) -> bool {
    let mut paths = PROGRAMS.iter().flat_map(|program| program.files).map(|(path, _)| *path);
    paths.any(|path| path.rsplit('/').next() == Some(name) && files.read(path).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_images() {
        for (image, args, expected) in [
            ("nginx", &[][..], Some("nginx -g daemon off;")),
            ("docker.io/library/nginx:1.29", &[], Some("nginx -g daemon off;")),
            ("registry.k8s.io/nginx-slim:0.24", &["sh"], Some("sh")),
            ("registry.k8s.io/e2e-test-images/httpd:2.4.38-4", &[], Some("httpd-foreground")),
            ("registry.k8s.io/e2e-test-images/agnhost:2.40", &["liveness"], Some("/agnhost liveness")),
            ("localhost:5000/agnhost@sha256:0", &[], Some("/agnhost pause")),
            ("busybox:1.37", &[], Some("sh")),
            ("registry.example/team/alpine@sha256:0", &["date"], Some("date")),
            ("bitnami/nginx", &[], None),
            ("registry.k8s.io/ingress-nginx/nginx", &[], None),
            ("redis", &["nginx"], None),
            ("", &[], None),
        ] {
            let words = command_of_image(image, args).map(|words| words.join(" "));
            assert_eq!(words.as_deref(), expected, "{image}");
        }
    }
}
