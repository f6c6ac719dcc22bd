//! Which media type an answer has, which one a body is in, and whether JSON is printed for people.
//!
//! kube-apiserver negotiates twice. Its router ([`route`]) compares the bare media types of `Accept` with those of
//! the path, letter by letter. The handler ([`output`]) then takes the clauses in order of their `q`, looks at their
//! parameters, and chooses. The two have different texts for 406.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources>

mod accept;

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};

use crate::partial::MetaVersion;
use crate::query::Query;
use crate::status::Status;

use accept::Clause;

/// A media type that the server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaType {
    /// `application/json`
    Json,
    /// `application/yaml`
    Yaml,
    /// `application/cbor`
    Cbor,
}

impl MediaType {
    /// Every media type for objects, in the order in which kube-apiserver offers them.
    const OBJECTS: &[Self] = &[Self::Json, Self::Yaml, Self::Cbor];

    /// The media types of everything that is not an object.
    const OTHERS: &[Self] = &[Self::Json, Self::Yaml];

    /// The media type as headers spell it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Yaml => "application/yaml",
            Self::Cbor => "application/cbor",
        }
    }

    /// What a watch whose objects are of this media type is offered as, if there are such.
    fn stream(self) -> Option<&'static str> {
        match self {
            Self::Json => Some("application/json;stream=watch"),
            Self::Yaml => None,
            Self::Cbor => Some("application/cbor-seq"),
        }
    }

    /// What `Content-Type` says of a watch.
    pub(crate) fn stream_content_type(self) -> &'static str {
        match self {
            Self::Json | Self::Yaml => "application/json",
            Self::Cbor => "application/cbor-seq",
        }
    }

    /// Whether tables are written in it.
    fn has_tables(self) -> bool {
        matches!(self, Self::Json | Self::Yaml)
    }
}

/// What an answer shows of an object or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// All of it.
    Whole,
    /// A `Table`.
    Table(MetaVersion),
    /// Only the metadata: a `PartialObjectMetadata`.
    Metadata(MetaVersion),
    /// Only the metadata of a list: a `PartialObjectMetadataList`.
    MetadataList(MetaVersion),
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    /// The media type.
    pub(crate) media: MediaType,
    /// Whether JSON is indented by two spaces.
    pub(crate) pretty: bool,
    /// What it shows.
    pub(crate) view: View,
}

/// What the router asks of `Accept`: that one of its media types is one of the path's, or `*/*`. The paths of
/// collections that can be watched offer those of streams too.
pub(crate) fn route(headers: &HeaderMap, collection: bool) -> Result<(), Box<Status>> {
    let accept = header(headers, ACCEPT);
    let mut offered: Vec<&str> = MediaType::OBJECTS.iter().map(|media| media.name()).collect();
    if collection {
        offered.extend(MediaType::OBJECTS.iter().filter_map(|media| media.stream()));
    }
    let bare = |clause: &'_ str| clause.split(';').next().unwrap_or_default().trim().to_owned();
    let acceptable = |clause: &str| clause == "*/*" || offered.contains(&clause);
    if accept.trim().is_empty() || accept.split(',').map(bare).any(|clause| acceptable(&clause)) {
        return Ok(());
    }
    Err(Status::no_representation(&offered.join(", ")))
}

/// What the handler of an object or a list chooses.
pub(crate) fn output(headers: &HeaderMap, query: &Query) -> Result<Output, Box<Status>> {
    let views = |clause: &Clause<'_>, media| clause.view(media);
    choose(headers, query, MediaType::OBJECTS, views)
        .ok_or_else(|| Status::not_acceptable(&names(MediaType::OBJECTS.iter().map(|media| media.name()))))
}

/// What an answer is written in that is not an object.
pub(crate) fn plain(headers: &HeaderMap, query: &Query) -> Result<Output, Box<Status>> {
    let offered = MediaType::OTHERS;
    choose(headers, query, offered, |clause, _| (!clause.converts()).then_some(View::Whole))
        .ok_or_else(|| Status::not_acceptable(&names(offered.iter().map(|media| media.name()))))
}

/// What an error is written in: the media type that would have been chosen, or JSON where that needs a view.
pub(crate) fn failure(headers: &HeaderMap, query: &Query, of_object: bool) -> Output {
    let offered = if of_object { MediaType::OBJECTS } else { MediaType::OTHERS };
    choose(headers, query, offered, |clause, _| (!clause.converts()).then_some(View::Whole)).unwrap_or(
        Output { media: MediaType::Json, pretty: prefers_pretty(headers, query), view: View::Whole },
    )
}

/// Whether a watch can be written in the media type that was chosen for its objects.
pub(crate) fn stream(output: Output) -> Result<(), Box<Status>> {
    if output.media.stream().is_some() {
        return Ok(());
    }
    Err(Status::not_acceptable(&names(MediaType::OBJECTS.iter().filter_map(|media| media.stream()))))
}

/// The media type of a body. JSON, where it is not said.
pub(crate) fn body(headers: &HeaderMap) -> Result<MediaType, Box<Status>> {
    let text = content_type(headers);
    if text.is_empty() {
        return Ok(MediaType::Json);
    }
    let known = MediaType::OBJECTS.iter().find(|media| media.name() == text);
    known.copied().ok_or_else(|| {
        Status::unsupported_media_type(&names(MediaType::OBJECTS.iter().map(|media| media.name())))
    })
}

/// The media type of a body, without its parameters.
pub(crate) fn content_type(headers: &HeaderMap) -> &str {
    header(headers, CONTENT_TYPE).split(';').next().unwrap_or_default().trim()
}

fn choose(
    headers: &HeaderMap,
    query: &Query,
    offered: &[MediaType],
    view: impl Fn(&Clause<'_>, MediaType) -> Option<View>,
) -> Option<Output> {
    let accept = header(headers, ACCEPT);
    let pretty = prefers_pretty(headers, query);
    if accept.trim().is_empty() {
        return offered.first().map(|media| Output { media: *media, pretty, view: View::Whole });
    }
    accept::clauses(accept).iter().find_map(|clause| {
        offered.iter().filter(|media| clause.matches(media.name())).find_map(|media| {
            let pretty = pretty || clause.parameter("pretty") == Some("1");
            view(clause, *media).map(|view| Output { media: *media, pretty, view })
        })
    })
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// Whether JSON is indented: `pretty` in the query decides, or else the `User-Agent` of a browser or of a
/// command-line tool.
fn prefers_pretty(headers: &HeaderMap, query: &Query) -> bool {
    match query.text("pretty") {
        "" => {
            let agent = header(headers, USER_AGENT);
            ["curl", "Wget", "Mozilla/5.0"].iter().any(|known| agent.starts_with(known))
        }
        text => ["1", "t", "T", "true", "TRUE", "True"].contains(&text),
    }
}

fn header(headers: &HeaderMap, name: http::HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(accept: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, accept.parse().expect("a header value"));
        headers
    }

    #[track_caller]
    fn check(accept: &str, expected: Option<(MediaType, View)>) {
        let chosen =
            output(&headers(accept), &Query::default()).ok().map(|output| (output.media, output.view));
        assert_eq!(chosen, expected, "{accept}");
    }

    #[test]
    fn the_handler_looks_at_parameters() {
        let json = Some((MediaType::Json, View::Whole));
        check("", json);
        check("*/*", json);
        check("application/json", json);
        check("application/json;q=0", json);
        check("text/html,application/xhtml+xml,*/*;q=0.8", json);
        check("application/json;as=Garbage;g=meta.k8s.io;v=v1, application/json", json);
        check("application/json;as=Table", None);
        check("application/json;as=Table;g=meta.k8s.io;v=v2", None);
        check("application/json;g=meta.k8s.io;v=v1", None);
        check("text/html", None);
        let table = Some((MediaType::Json, View::Table(MetaVersion::V1)));
        check("application/json; as=Table; g=meta.k8s.io; v=v1", table);
        check("*/*;as=Table;g=meta.k8s.io;v=v1", table);
        check("application/json;q=0.5,application/json;as=Table;g=meta.k8s.io;v=v1;q=0.9", table);
    }

    #[test]
    fn the_router_looks_at_letters() {
        for (accept, expected) in [
            ("", true),
            ("  application/json  ", true),
            ("text/*, */*;q=0.1", true),
            ("application/json,", true),
            ("application/json;as=Garbage", true),
            ("application/*", false),
            ("Application/JSON", false),
            ("application/json-seq", false),
            (";q=1", false),
        ] {
            assert_eq!(route(&headers(accept), false).is_ok(), expected, "{accept}");
        }
    }

    #[test]
    fn the_query_goes_before_the_user_agent() {
        let mut headers = headers("*/*");
        headers.insert(USER_AGENT, "curl/8".parse().expect("a header value"));
        for (query, expected) in
            [("", true), ("pretty=false", false), ("pretty=1", true), ("pretty=yes", false)]
        {
            let output = output(&headers, &Query::parse(query)).expect("JSON is accepted");
            assert_eq!(output.pretty, expected, "{query}");
        }
    }
}
