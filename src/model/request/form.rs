//! The request that is being composed.

use apimachinery::target;
use leptos::prelude::*;

use crate::cluster::documents::METADATA_OF_LIST;
use crate::cluster::{Request, decided};
use crate::model::request::drafts::Drafts;

/// The methods to choose from.
pub(crate) const METHODS: &[&str] = &["GET", "POST", "PUT", "PATCH", "DELETE"];

/// The media types that can be asked for in a response, each with its name. For a watch, each stands for its stream.
pub(crate) const ACCEPT: &[(&str, &str)] = &[
    ("JSON", "application/json"),
    ("YAML", "application/yaml"),
    ("CBOR", "application/cbor"),
    ("Protobuf", "application/vnd.kubernetes.protobuf"),
    ("Table", TABLE),
    ("Table in YAML", "application/yaml;as=Table;v=v1;g=meta.k8s.io"),
    ("Table v1beta1", "application/json;as=Table;v=v1beta1;g=meta.k8s.io"),
    ("Table v1beta1 in YAML", "application/yaml;as=Table;v=v1beta1;g=meta.k8s.io"),
    (
        "Table or else JSON",
        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
    ),
    ("Metadata only", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
    ("Metadata only in YAML", "application/yaml;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
    ("Metadata only in CBOR", "application/cbor;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
    (
        "Metadata only in Protobuf",
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    ),
    ("Metadata of a list", METADATA_OF_LIST),
    ("Metadata of a list in YAML", "application/yaml;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"),
    ("Metadata of a list in CBOR", "application/cbor;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"),
    (
        "Metadata of a list in Protobuf",
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    ),
];

/// A table, as kubectl asks for one.
pub(crate) const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

/// The media types of a request body, each with its name. For a media type that cannot be typed, the body is typed in
/// JSON or YAML, and is encoded when it is sent.
pub(crate) const CONTENT_TYPES: &[(&str, &str)] = &[
    ("JSON", "application/json"),
    ("YAML", "application/yaml"),
    ("CBOR", "application/cbor"),
    ("Protobuf", "application/vnd.kubernetes.protobuf"),
    ("Merge patch", "application/merge-patch+json"),
    ("JSON patch", "application/json-patch+json"),
    ("Strategic merge patch", "application/strategic-merge-patch+json"),
    ("Apply", "application/apply-patch+yaml"),
    ("Apply CBOR", "application/apply-patch+cbor"),
];

/// Reports whether requests of this method carry a body.
pub(crate) fn has_body(method: &str) -> bool {
    matches!(method, "POST" | "PUT" | "PATCH" | "DELETE")
}

/// Returns whether requests of this method have the objects in their body that they write.
pub(crate) fn carries_objects(method: &str) -> bool {
    matches!(method, "POST" | "PUT" | "PATCH")
}

/// Returns whether a body is a mapping in YAML: its first line that is no comment has a name and a colon.
fn is_yaml(body: &str) -> bool {
    let lines = body.lines().map(str::trim_end);
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#') && *line != "---");
    lines.next().and_then(|line| line.split_once(':')).is_some_and(|(name, rest)| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
        !name.is_empty() && name.chars().all(plain) && (rest.is_empty() || rest.starts_with(' '))
    })
}

/// A query parameter.
#[derive(Clone)]
pub(crate) struct Param {
    /// The number of the parameter in the form.
    pub(crate) id: u64,
    /// The name of the parameter.
    pub(crate) name: String,
    /// The value of the parameter. Counted, for it lives in a list that no part of the view owns.
    pub(crate) value: ArcRwSignal<String>,
}

impl Param {
    /// Returns it as it stands in a query, but that nothing is escaped.
    pub(crate) fn written(&self) -> String {
        [&self.name, "=", &self.value.get()].concat()
    }
}

/// The composer's fields. A handle: all copies are the same.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    pub(crate) method: RwSignal<String>,
    pub(crate) path: RwSignal<String>,
    pub(crate) params: RwSignal<Vec<Param>>,
    pub(crate) accept: RwSignal<String>,
    pub(crate) content_type: RwSignal<String>,
    pub(crate) body: RwSignal<String>,
    /// In whose name the request is sent; empty for one's own.
    pub(crate) user: RwSignal<String>,
    /// The groups that they are said to be in, with commas between them.
    pub(crate) groups: RwSignal<String>,
    /// The field of the object that the body is to be shown at.
    pub(crate) show: RwSignal<Option<String>>,
    next: StoredValue<u64>,
    drafts: StoredValue<Drafts>,
}

impl Form {
    pub(crate) fn new() -> Self {
        Self {
            method: RwSignal::new("GET".to_owned()),
            path: RwSignal::new(String::new()),
            params: RwSignal::new(Vec::new()),
            accept: RwSignal::new(ACCEPT[0].1.to_owned()),
            content_type: RwSignal::new(CONTENT_TYPES[0].1.to_owned()),
            body: RwSignal::new(String::new()),
            user: RwSignal::new(String::new()),
            groups: RwSignal::new(String::new()),
            show: RwSignal::new(None),
            next: StoredValue::new(0),
            drafts: StoredValue::new(Drafts::default()),
        }
    }

    /// Adds a parameter, and gives its number.
    pub(crate) fn add(self, name: &str, value: &str) -> u64 {
        let id = self.next.get_value();
        self.next.set_value(id + 1);
        let param = Param { id, name: name.to_owned(), value: ArcRwSignal::new(value.to_owned()) };
        self.params.update(|params| params.push(param));
        id
    }

    /// Takes a parameter out.
    pub(crate) fn remove(self, id: u64) {
        self.params.update(|params| params.retain(|param| param.id != id));
    }

    /// Turns a query that was typed into the path into the parameters, and takes a body for YAML that cannot be JSON.
    pub(crate) fn gather(self) {
        if self.body.with_untracked(|body| is_yaml(body)) {
            self.send_as_yaml();
        }
        let typed = self.path.get_untracked();
        if !typed.contains('?') {
            return;
        }
        let (path, params) = target::split(&typed);
        self.path.set(path);
        // It is the whole query.
        self.params.set(Vec::new());
        for (name, value) in params {
            self.add(&name, &value);
        }
    }

    /// Chooses YAML for the body, where JSON was chosen.
    pub(crate) fn send_as_yaml(self) {
        if self.content_type.with_untracked(|media| media == CONTENT_TYPES[0].1) {
            self.content_type.set(CONTENT_TYPES[1].1.to_owned());
        }
    }

    /// The value of the parameter of this name, and again whenever it has changed.
    pub(crate) fn param(self, name: &str) -> Option<String> {
        let found = self.params.with(|params| params.iter().find(|param| param.name == name).cloned());
        found.map(|param| param.value.get())
    }

    /// Reports whether applying takes over what others own.
    pub(crate) fn forces(self) -> bool {
        self.is_on("force")
    }

    /// Reports whether a parameter is there, and does not say no.
    pub(crate) fn is_on(self, name: &str) -> bool {
        self.param(name).is_some_and(|value| !matches!(value.as_str(), "false" | "0"))
    }

    /// Sets a parameter, or takes it out.
    pub(crate) fn set_param(self, name: &str, value: Option<&str>) {
        let known =
            self.params.with_untracked(|params| params.iter().find(|param| param.name == name).cloned());
        match (known, value) {
            (Some(param), Some(value)) => param.value.set(value.to_owned()),
            (Some(param), None) => self.remove(param.id),
            (None, Some(value)) => drop(self.add(name, value)),
            (None, None) => {}
        }
    }

    /// Chooses another method. The body that was written stays with its kind, and comes back with it.
    pub(crate) fn choose_method(self, method: &str) {
        let media = self.content_type.get_untracked();
        let media = self.drafts.try_update_value(|drafts| drafts.media(method, &media)).unwrap_or(media);
        self.turn(method, &media);
    }

    /// Chooses another media type for the body, in the same way.
    pub(crate) fn choose_media(self, media: &str) {
        self.turn(&self.method.get_untracked(), media);
    }

    fn turn(self, method: &str, media: &str) {
        let body = self.body.get_untracked();
        if let Some(Some(body)) = self.drafts.try_update_value(|drafts| drafts.turn(method, media, &body)) {
            self.body.set(body);
        }
        self.method.set(method.to_owned());
        self.content_type.set(media.to_owned());
        if method == "PATCH" {
            return;
        }
        // What only a patch can be asked for.
        self.set_param("force", None);
    }

    /// Puts a first body in, if nobody has written one.
    pub(crate) fn give(self, body: &str) {
        let text = self.body.get_untracked();
        if self.drafts.try_update_value(|drafts| drafts.give(&text, body)) == Some(true) && text != body {
            self.body.set(body.to_owned());
        }
    }

    /// The request as it stands, and again whenever it has changed.
    pub(crate) fn watched(self) -> Request {
        self.method.track();
        self.path.track();
        self.content_type.track();
        self.body.track();
        self.user.track();
        self.groups.track();
        self.params.with(|params| params.iter().for_each(|param| param.value.track()));
        self.request()
    }

    /// The request as it stands.
    pub(crate) fn request(self) -> Request {
        let params: Vec<(String, String)> = self
            .params
            .get_untracked()
            .into_iter()
            .map(|param| (param.name, param.value.get_untracked()))
            .collect();
        let method = self.method.get_untracked();
        let mut headers = vec![("Accept".to_owned(), self.accept.get_untracked())];
        let body = if has_body(&method) { self.body.get_untracked() } else { String::new() };
        if !body.is_empty() {
            headers.push(("Content-Type".to_owned(), self.content_type.get_untracked()));
        }
        headers.extend(self.identity());
        let target = target::join(&self.path.get_untracked(), &params);
        Request { method, target, headers, body, encoded: None, json: None }
    }

    /// The headers that say in whose name the request is sent.
    pub(crate) fn identity(self) -> Vec<(String, String)> {
        let user = self.user.get_untracked();
        if user.is_empty() {
            return Vec::new();
        }
        let groups = self.groups.get_untracked();
        let groups = groups.split(',').map(str::trim).filter(|group| !group.is_empty());
        let groups = groups.map(|group| (decided::GROUP.to_owned(), group.to_owned()));
        std::iter::once((decided::USER.to_owned(), user)).chain(groups).collect()
    }

    /// Shows `request` in the form. In whose name it is sent stays as it is.
    pub(crate) fn fill(self, request: &Request) {
        let (path, params) = target::split(&request.target);
        let elsewhere = self.path.with_untracked(|known| *known != path);
        let header = |name: &str| {
            let known = request.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            known.map_or_else(|| "application/json".to_owned(), |(_, value)| value.clone())
        };
        self.method.set(request.method.clone());
        self.path.set(path);
        self.params.set(Vec::new());
        for (name, value) in params {
            self.add(&name, &value);
        }
        self.accept.set(header("Accept"));
        self.content_type.set(header("Content-Type"));
        let media = self.content_type.get_untracked();
        self.drafts.update_value(|drafts| drafts.begin(&request.method, &media, elsewhere));
        self.body.set(request.body.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(request: &Request) {
        let owner = Owner::new();
        owner.with(|| {
            let form = Form::new();
            form.fill(request);
            assert_eq!(form.request(), *request);
        });
    }

    #[test]
    fn shows_a_request_and_gives_it_back() {
        check(&Request::get("/api/v1/pods?watch=true&labelSelector=app=web"));
        check(&Request::json("PUT", "/api/v1/namespaces/default/configmaps/a?dryRun=All", "{}"));
        check(&Request { method: "DELETE".to_owned(), ..Request::get("/api/v1/nodes/a") });
    }

    #[test]
    fn a_request_is_sent_in_the_name_of_who_is_chosen() {
        let owner = Owner::new();
        owner.with(|| {
            let form = Form::new();
            form.groups.set("a, b,,".to_owned());
            assert_eq!(form.identity(), []);
            form.user.set("alice".to_owned());
            let request = form.request();
            let named: Vec<&str> = request.headers.iter().map(|(_, value)| value.as_str()).collect();
            assert_eq!(named, ["application/json", "alice", "a", "b"]);
        });
    }

    #[test]
    fn a_typed_query_becomes_parameters() {
        let owner = Owner::new();
        owner.with(|| {
            let form = Form::new();
            form.path.set("/api/v1/pods?limit=5&watch".to_owned());
            form.gather();
            assert_eq!(form.path.get_untracked(), "/api/v1/pods");
            assert_eq!(form.request().target, "/api/v1/pods?limit=5&watch=");
            form.remove(form.params.get_untracked()[1].id);
            assert_eq!(form.request().target, "/api/v1/pods?limit=5");
            // Another one takes its place.
            form.path.set("/api/v1/pods?labelSelector=a".to_owned());
            form.gather();
            assert_eq!(form.request().target, "/api/v1/pods?labelSelector=a");
        });
    }

    #[test]
    fn yaml_is_known_by_its_first_line() {
        for (body, expected) in [
            ("apiVersion: v1\nkind: Pod", true),
            ("# A pod\n---\nmetadata:\n  name: a", true),
            ("{\"a\": 1,}", false),
            ("\"a\": 1", false),
            ("[1]", false),
            ("nonsense", false),
            ("http://a", false),
            ("", false),
        ] {
            assert_eq!(is_yaml(body), expected, "{body}");
        }
        Owner::new().with(|| {
            let form = Form::new();
            form.fill(&Request::json("POST", "/p", "a: 1"));
            form.gather();
            assert_eq!(form.request().header("Content-Type"), Some("application/yaml"));
        });
    }

    #[test]
    fn a_method_without_a_body_sends_none() {
        let owner = Owner::new();
        owner.with(|| {
            let form = Form::new();
            form.fill(&Request::json("POST", "/p", "{}"));
            form.method.set("GET".to_owned());
            assert_eq!(form.request(), Request::get("/p"));
        });
    }
}
