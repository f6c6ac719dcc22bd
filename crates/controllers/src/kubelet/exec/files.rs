//! The files that programs of a container find: those that its pod mounts, and some that every container has.
//!
//! See <https://kubernetes.io/docs/concepts/storage/volumes/>.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use golang::path::from_root;
use json_tree::Value;

use super::expansion::expand;
use super::objects::Reference;
use super::variables::Environment;
use super::{Objects, environment, fields, hostname};
use crate::object::{self, list};

/// The most bytes that all files of a session may have together.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The kinds of volumes that are made of objects of the API. Nobody writes to them.
pub(super) const OF_OBJECTS: [&str; 4] = ["configMap", "secret", "projected", "downwardAPI"];

/// The directories that every container has.
const DIRECTORIES: &str = "/bin /dev /etc /home /proc /root /tmp /usr /var";

const HOSTS: &str = "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n\
                     fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n";

/// The reasons why a path cannot be written to.
pub(super) const READ_ONLY: &str = "Read-only file system";
pub(super) const NO_DIRECTORY: &str = "nonexistent directory";

/// The most bytes of a path.
const LONGEST_PATH: usize = 4096;

/// The directory for files that nobody needs for long: no image has any there.
const SCRATCH: &str = "/tmp";

/// A file with its bytes, or a directory, which has none.
pub(in super::super) type Entry = Option<Arc<Vec<u8>>>;

/// A change of a file or a directory.
#[derive(Clone, Debug)]
pub(in super::super) struct Written {
    pub(in super::super) path: String,
    /// The entry that is there since then; none if it was removed.
    pub(in super::super) entry: Option<Entry>,
    /// The time of the change.
    pub(in super::super) at: Duration,
}

/// Files, by their absolute paths. Copies are cheap until one of them is written to.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Files {
    entries: Arc<BTreeMap<String, Entry>>,
    /// The bytes of all files and paths.
    size: usize,
    /// The directories and files that the pod mounts, and whether they may be written to.
    mounts: Arc<Vec<(String, bool)>>,
    /// The time.
    now: Duration,
    /// The paths at which something was written or removed, and the time of the last change.
    changed: Arc<BTreeMap<String, Duration>>,
}

impl Files {
    /// Tells them the time.
    pub(super) fn set_now(&mut self, now: Duration) {
        self.now = now;
    }

    /// Takes all that there is as what was there before.
    pub(in super::super) fn settle(&mut self) {
        self.changed = Arc::default();
    }

    fn note(&mut self, path: &str) {
        Arc::make_mut(&mut self.changed).insert(path.to_owned(), self.now);
    }

    /// Adds a directory, and those above it. Paths that are too long are left out.
    pub(super) fn make_directory(&mut self, path: &str) {
        let mut path = path.trim_end_matches('/');
        if path.len() > LONGEST_PATH {
            return;
        }
        while !path.is_empty()
            && self.size < MOST_BYTES
            && Arc::make_mut(&mut self.entries).insert(path.to_owned(), None) != Some(None)
        {
            self.size += path.len();
            self.note(path);
            path = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
    }

    /// Adds a file, and the directories above it. There is no more than there is room for.
    pub(super) fn add(&mut self, path: &str, bytes: impl Into<Arc<Vec<u8>>>) {
        let bytes = bytes.into();
        if path.len() > LONGEST_PATH || self.size + bytes.len() > MOST_BYTES {
            return;
        }
        self.make_directory(path.rsplit_once('/').map_or("", |(parent, _)| parent));
        self.size += path.len() + bytes.len();
        self.note(path);
        Arc::make_mut(&mut self.entries).insert(path.to_owned(), Some(bytes));
    }

    /// Writes to a file, at its end if that is asked for.
    ///
    /// # Errors
    /// The reason why it cannot be written, as programs say it.
    pub(super) fn write(&mut self, path: &str, bytes: &[u8], appends: bool) -> Result<(), &'static str> {
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        if path.len() > LONGEST_PATH {
            return Err("File name too long");
        }
        if !self.is_writable(path) {
            return Err(READ_ONLY);
        }
        if !self.is_directory(parent) {
            return Err(NO_DIRECTORY);
        }
        if self.is_directory(path) {
            return Err("Is a directory");
        }
        let known = self.read(path).map(<[u8]>::len);
        let replaced = known.filter(|_| !appends).unwrap_or_default();
        let size = self.size - replaced + bytes.len() + if known.is_none() { path.len() } else { 0 };
        if size > MOST_BYTES {
            return Err("No space left on device");
        }
        self.size = size;
        self.note(path);
        let entries = Arc::make_mut(&mut self.entries);
        let file = Arc::make_mut(entries.entry(path.to_owned()).or_default().get_or_insert_default());
        if !appends {
            file.clear();
        }
        file.extend_from_slice(bytes);
        Ok(())
    }

    /// Makes a change that was made elsewhere, whatever was there before. There is no more than there is room for.
    pub(super) fn put(&mut self, written: Written) {
        let now = std::mem::replace(&mut self.now, written.at);
        match written.entry {
            None => self.remove(&written.path),
            Some(None) => self.make_directory(&written.path),
            Some(Some(bytes)) => {
                self.remove(&written.path);
                self.add(&written.path, bytes);
            }
        }
        self.now = now;
    }

    /// Removes what is at a path, and all below it.
    pub(super) fn remove(&mut self, path: &str) {
        for path in self.below(path) {
            let gone = Arc::make_mut(&mut self.entries).remove(&path);
            let size = path.len() + gone.flatten().map_or(0, |bytes| bytes.len());
            self.size = self.size.saturating_sub(size);
            self.note(&path);
        }
    }

    /// Returns what is at a path.
    pub(super) fn entry(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// Returns the paths of all that is at a path or below it, those above others first.
    pub(super) fn below(&self, path: &str) -> Vec<String> {
        let prefix = [path, "/"].concat();
        let own = self.entries.contains_key(path).then(|| path.to_owned());
        let below = self.entries.range(prefix.clone()..).map(|(own, _)| own);
        own.into_iter().chain(below.take_while(|own| own.starts_with(&prefix)).cloned()).collect()
    }

    /// Returns the changes, those of whole directories before what is in them.
    pub(in super::super) fn written(&self) -> Vec<Written> {
        let change = |(path, at): (&String, &Duration)| Written {
            path: path.clone(),
            entry: self.entries.get(path).cloned(),
            at: *at,
        };
        self.changed.iter().map(change).collect()
    }

    /// Notes what the pod mounts at a path.
    fn mount(&mut self, path: &str, is_writable: bool) {
        Arc::make_mut(&mut self.mounts).push((path.to_owned(), is_writable));
    }

    /// Returns the longest path of a mount that a path is at or below, and whether it may be written to.
    fn mounted(&self, path: &str) -> Option<&(String, bool)> {
        let mounts = self.mounts.iter().filter(|(own, _)| is_within(path, own));
        mounts.max_by_key(|(own, _)| own.len())
    }

    /// Reports whether the pod mounts something at a path, below it or above it.
    pub(super) fn has_mounts_at(&self, path: &str) -> bool {
        self.mounts.iter().any(|(own, _)| is_within(own, path) || is_within(path, own))
    }

    /// Reports whether something may be written to a path.
    pub(super) fn is_writable(&self, path: &str) -> bool {
        self.mounted(path).is_none_or(|(_, is_writable)| *is_writable)
    }

    /// Reports whether it is known what is at a path, and that nothing is: no image has anything there.
    pub(super) fn is_known(&self, path: &str) -> bool {
        self.mounted(path).is_some() || is_within(path, SCRATCH)
    }

    /// Returns how many files and directories there are.
    pub(super) fn count(&self) -> usize {
        self.entries.len()
    }

    /// Returns the bytes of a file.
    pub(super) fn read(&self, path: &str) -> Option<&[u8]> {
        self.entries.get(path)?.as_deref().map(Vec::as_slice)
    }

    pub(super) fn is_directory(&self, path: &str) -> bool {
        path.is_empty() || path == "/" || self.entries.get(path).is_some_and(Option::is_none)
    }

    /// Reports whether a file stands where a path needs a directory.
    pub(super) fn is_below_file(&self, path: &str) -> bool {
        path.match_indices('/').any(|(end, _)| self.read(&path[..end]).is_some())
    }

    /// Returns the names in a directory, in their order.
    pub(super) fn names<'a>(&'a self, directory: &str) -> impl Iterator<Item = &'a str> {
        let prefix = [directory.trim_end_matches('/'), "/"].concat();
        let own = self.entries.range(prefix.clone()..).map(|(path, _)| path.as_str());
        let own = own.map_while(move |path| path.strip_prefix(&*prefix));
        own.filter(|name| !name.is_empty() && !name.contains('/'))
    }
}

/// Reports whether a path is that of a directory, or below it.
pub(super) fn is_within(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns an absolute path, as seen from a directory, without `.` and `..`; empty for the root.
pub(super) fn resolve(directory: &str, path: &str) -> String {
    let base = if path.starts_with('/') { "" } else { directory };
    let path = from_root(&[base, "/", path].concat());
    if path == "/" { String::new() } else { path }
}

/// Returns the files of a container, with those of its image.
pub(super) fn files(
    image: Files,
    pod: &Value,
    container: &Value,
    objects: &Objects,
    environment: &Environment,
) -> Files {
    let mut files = image;
    // What is mounted hides what was there.
    let mounts = list(container, "/volumeMounts").iter().map(|mount| resolve("", mount.text("mountPath")));
    mounts.for_each(|path| files.remove(&path));
    DIRECTORIES.split(' ').for_each(|path| files.make_directory(path));
    let hostname = hostname(pod);
    files.add("/etc/hostname", [hostname, "\n"].concat().into_bytes());
    add_hosts(&mut files, pod);
    let namespace = object::namespace(pod);
    let resolv = format!(
        "search {namespace}.svc.cluster.local svc.cluster.local cluster.local\nnameserver {}\noptions ndots:5\n",
        objects.services.dns()
    );
    files.add("/etc/resolv.conf", resolv.into_bytes());
    files.add(&resolve("", container.text("terminationMessagePath")), Vec::new());
    for mount in list(container, "/volumeMounts") {
        let path = resolve("", mount.text("mountPath"));
        let volume = list(pod, "/spec/volumes").iter().find(|own| own.text("name") == mount.text("name"));
        let is_writable = mount.get("readOnly") != Some(&Value::Bool(true));
        files.mount(
            &path,
            is_writable
                && volume.is_none_or(|volume| !OF_OBJECTS.iter().any(|kind| volume.get(*kind).is_some())),
        );
        let own = volume.map(|volume| of_volume(pod, container, volume, objects)).unwrap_or_default();
        let part = part(mount, environment);
        let part = part.trim_matches('/');
        if let Some((_, bytes)) = own.iter().find(|(name, _)| name == part) {
            files.add(&path, bytes.clone());
            continue;
        }
        files.make_directory(&path);
        let prefix = if part.is_empty() { String::new() } else { [part, "/"].concat() };
        for (name, bytes) in &own {
            if let Some(name) = name.strip_prefix(&*prefix) {
                files.add(&resolve(&path, name), bytes.clone());
            }
        }
    }
    files
}

/// Returns the path of the part of a volume that is mounted; empty for all of it.
pub(super) fn part(mount: &Value, environment: &Environment) -> String {
    match mount.text("subPathExpr") {
        "" => mount.text("subPath").to_owned(),
        expression => expand(expression, environment),
    }
}

/// Adds the file of the hosts that a pod knows.
pub(super) fn add_hosts(files: &mut Files, pod: &Value) {
    let hosts = hosts(pod, hostname(pod)).into_bytes();
    files.put(Written { path: "/etc/hosts".to_owned(), entry: Some(Some(Arc::new(hosts))), at: files.now });
}

fn hosts(pod: &Value, hostname: &str) -> String {
    let mut hosts = HOSTS.to_owned();
    for address in list(pod, "/status/podIPs") {
        hosts.extend([address.text("ip"), "\t", hostname, "\n"]);
    }
    let aliases = list(pod, "/spec/hostAliases");
    if !aliases.is_empty() {
        hosts.push_str("\n# Entries added by HostAliases.\n");
    }
    for alias in aliases {
        let names: Vec<&str> = list(alias, "/hostnames").iter().map(|name| name.as_text()).collect();
        hosts.extend([alias.text("ip"), "\t", &names.join("\t"), "\n"]);
    }
    hosts
}

/// Returns the files of a volume, by their paths in it. Those of most kinds are empty.
fn of_volume(pod: &Value, container: &Value, volume: &Value, objects: &Objects) -> Vec<(String, Vec<u8>)> {
    let of = |source, secret| of_source(pod, container, (source, secret), objects);
    match volume.get("projected") {
        Some(projected) => list(projected, "/sources").iter().flat_map(|source| of(source, "name")).collect(),
        None => of(volume, "secretName"),
    }
}

/// Returns the files of a volume or of a source of a projected one, which name a Secret by different fields.
fn of_source(
    pod: &Value,
    container: &Value,
    (source, secret): (&Value, &str),
    objects: &Objects,
) -> Vec<(String, Vec<u8>)> {
    if let Some(source) = source.get("configMap") {
        of_object(source, objects.get(&Reference::config_map(source.text("name"))))
    } else if let Some(source) = source.get("secret") {
        of_object(source, objects.get(&Reference::secret(source.text(secret))))
    } else if let Some(source) = source.get("downwardAPI") {
        fields::items(pod, container, source)
    } else if let Some(source) = source.get("serviceAccountToken") {
        // Nothing runs here that could use one.
        vec![(source.text("path").to_owned(), b"a token would be here\n".to_vec())]
    } else {
        Vec::new()
    }
}

/// Returns the files of a ConfigMap or a Secret: all of its keys, or those that are chosen.
fn of_object(source: &Value, object: Option<&Value>) -> Vec<(String, Vec<u8>)> {
    let data = object.map(environment::data).unwrap_or_default();
    let items = list(source, "/items");
    if items.is_empty() {
        return data;
    }
    let item = |item: &Value| {
        let (_, bytes) = data.iter().find(|(key, _)| key == item.text("key"))?;
        Some((item.text("path").to_owned(), bytes.clone()))
    };
    items.iter().filter_map(item).collect()
}

#[cfg(test)]
mod tests {
    use json_tree::json;

    use super::*;

    #[test]
    fn paths() {
        for (directory, path, expected) in [
            ("", "/", ""),
            ("", "a", "/a"),
            ("/etc", "hosts", "/etc/hosts"),
            ("/etc", "../a/./b/", "/a/b"),
            ("/etc", "/../..", ""),
            ("/etc", "", "/etc"),
        ] {
            assert_eq!(resolve(directory, path), expected, "{directory} {path}");
        }
    }

    #[test]
    fn mounted_files() {
        let objects = Objects::from([
            (Reference::config_map("c"), json!({"data": {"a.conf": "a=1\n", "b.conf": "b"}})),
            (Reference::secret("s"), json!({"type": "Opaque", "data": {"password": "c2VjcmV0"}})),
        ]);
        let pod = json!({
            "metadata": {"name": "p", "namespace": "default", "labels": {"app": "x"}},
            "spec": {"hostname": "h", "hostAliases": [{"ip": "1.2.3.4", "hostnames": ["a.b", "c.d"]}], "volumes": [
                {"name": "c", "configMap": {"name": "c"}},
                {"name": "chosen", "configMap": {"name": "c", "items": [{"key": "a.conf", "path": "deep/er.conf"}, {"key": "no", "path": "no"}]}},
                {"name": "s", "secret": {"secretName": "s"}},
                {"name": "all", "projected": {"sources": [
                    {"secret": {"name": "s"}},
                    {"serviceAccountToken": {"path": "token"}},
                    {"downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}}
                ]}},
                {"name": "scratch", "emptyDir": {}}
            ]},
            "status": {"podIPs": [{"ip": "10.244.0.5"}]}
        });
        let mount = |name: &str, path: &str| json!({"name": name, "mountPath": path});
        let container = json!({"volumeMounts": [
            mount("c", "/etc/app/"), mount("chosen", "/chosen"), mount("s", "/run/secrets"), mount("all", "/all"),
            mount("scratch", "/scratch"), mount("missing", "/missing"),
            {"name": "c", "mountPath": "/etc/one.conf", "subPath": "b.conf"},
            {"name": "chosen", "mountPath": "/sub", "subPath": "deep"}
        ]});
        let files = files(Files::default(), &pod, &container, &objects, &Vec::new());
        let text =
            |path: &str| files.read(path).map(String::from_utf8_lossy).unwrap_or_default().into_owned();
        let names = |path: &str| files.names(path).collect::<Vec<_>>().join(" ");
        assert_eq!(text("/etc/app/a.conf"), "a=1\n");
        assert_eq!(text("/chosen/deep/er.conf"), "a=1\n");
        assert_eq!(text("/run/secrets/password"), "secret");
        assert_eq!(text("/all/labels"), "app=\"x\"");
        assert_eq!(text("/etc/one.conf"), "b");
        assert_eq!(text("/sub/er.conf"), "a=1\n");
        assert_eq!(text("/etc/hostname"), "h\n");
        assert!(
            text("/etc/hosts")
                .ends_with("10.244.0.5\th\n\n# Entries added by HostAliases.\n1.2.3.4\ta.b\tc.d\n")
        );
        let resolv = text("/etc/resolv.conf");
        assert!(resolv.starts_with("search default.svc.cluster.local "));
        assert!(resolv.contains("\nnameserver 10.96.0.10\n"));
        assert_eq!(names("/etc"), "app hostname hosts one.conf resolv.conf");
        assert_eq!(names("/all"), "labels password token");
        assert_eq!((names("/scratch"), names("/missing"), names("/nowhere")), Default::default());
        assert_eq!(names("/"), "all bin chosen dev etc home missing proc root run scratch sub tmp usr var");
    }

    #[test]
    fn written_files() {
        let mut files = Files::default();
        files.make_directory("/tmp");
        assert_eq!(files.write("/tmp/a", b"1", false), Ok(()));
        assert_eq!(files.write("/tmp/a", b"2", true), Ok(()));
        assert_eq!(files.read("/tmp/a"), Some(&b"12"[..]));
        assert_eq!(files.write("/tmp/a", b"3", false), Ok(()));
        assert_eq!(files.read("/tmp/a"), Some(&b"3"[..]));
        assert_eq!(files.write("/no/a", b"", false), Err("nonexistent directory"));
        assert_eq!(files.write("/tmp", b"", false), Err("Is a directory"));
        assert_eq!(files.write("/tmp/b", &vec![0; MOST_BYTES], false), Err("No space left on device"));
        let long = ["/tmp/", &"a".repeat(LONGEST_PATH)].concat();
        assert_eq!(files.write(&long, b"", false), Err("File name too long"));
        let before = files.count();
        files.add(&"/a".repeat(LONGEST_PATH), Vec::new());
        files.make_directory(&"/a".repeat(LONGEST_PATH));
        files.add("/tmp/c", vec![0; MOST_BYTES]);
        assert_eq!(files.count(), before);
        // What is replaced makes room.
        let large = vec![0; MOST_BYTES / 2];
        for number in 0..10_u32 {
            assert_eq!(files.write("/tmp/a", &large, false), Ok(()), "{number}");
        }
    }
}
