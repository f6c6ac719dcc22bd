//! Which media type an answer has, which one a body is in, and whether JSON is printed for people.
//!
//! kube-apiserver negotiates twice. Its router ([`route`]) compares the bare media types of `Accept` with those of
//! the path, letter by letter. The handler ([`output`]) then takes the clauses in order of their `q`, looks at their
//! parameters, and chooses. The two have different texts for 406.
//!
//! <https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources>

mod accept;

use std::borrow::Cow;

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};

use crate::document::Document;
use crate::format::{Format, MediaTypes, StreamFormat, TABLES};
use crate::native::on_host;
use crate::partial::MetaVersion;
use apimachinery::query::Query;
use apimachinery::status::Status;
use golang::mime::media_type;
use golang::strconv::parse_bool;

use accept::Clause;

/// The parameters of a clause of `Accept` that asks for aggregated discovery, and of the `Content-Type` of the
/// response.
pub(crate) const AGGREGATED: [(&str, &str); 3] =
    [("g", "apidiscovery.k8s.io"), ("v", "v2"), ("as", "APIGroupDiscoveryList")];

/// The view of an object or a list that a response shows.
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// The media type.
    pub(crate) format: &'static Format,
    /// True if JSON is indented by two spaces.
    pub(crate) pretty: bool,
    /// The view that it shows.
    pub(crate) view: View,
    /// True if it was chosen by what is asked for.
    pub(crate) is_negotiated: bool,
}

/// A document as it is written.
pub(crate) struct Written {
    /// The body of the response.
    pub(crate) body: Vec<u8>,
    /// The JSON, if the body is of another media type.
    pub(crate) json: Option<Vec<u8>>,
}

impl Output {
    /// Writes a document as it stands in the body of a response. JSON ends with a line break, as Go's encoder ends it, but
    /// where it is printed for people.
    ///
    /// # Errors
    /// A text in it that the media type cannot hold.
    pub(crate) fn write(self, document: Document) -> Result<Written, Box<Status>> {
        let mut json = None;
        let mut body = match self.format.write(&document).map_err(Status::unclassified)? {
            Cow::Owned(body) => {
                json = on_host(Some(document.json)).filter(|_| !self.format.pretty);
                body
            }
            // What was borrowed is the JSON itself.
            Cow::Borrowed(_) => document.json,
        };
        match (self.format.pretty, self.pretty) {
            (true, true) => body = codec::json::pretty(&body),
            (true, false) => body.push(b'\n'),
            (false, _) => {}
        }
        Ok(Written { body, json })
    }
}

/// The media type that needs a type to write an object.
pub(crate) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// The kinds of responses that a path gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offered {
    /// An object.
    Object,
    /// A collection that can be watched: in streams, too.
    Collection,
    /// The log of a container, as text.
    Log,
}

/// Checks what the router asks of `Accept`: that one of its media types is one of the path's, or `*/*`.
pub(crate) fn route(formats: MediaTypes, headers: &HeaderMap, offered: Offered) -> Result<(), Box<Status>> {
    let mut names: Vec<&str> = formats.all.iter().map(|format| format.name).collect();
    match offered {
        Offered::Object => {}
        Offered::Collection => names.extend(streams(formats)),
        Offered::Log => names.insert(0, "text/plain"),
    }
    accepts(headers, &names)
}

/// The same for a path of discovery.
pub(crate) fn route_plain(formats: MediaTypes, headers: &HeaderMap) -> Result<(), Box<Status>> {
    let offered: Vec<&str> = everywhere(formats).map(|format| format.name).collect();
    accepts(headers, &offered)
}

/// The same for a path that offers these media types.
pub(crate) fn accepts(headers: &HeaderMap, offered: &[&str]) -> Result<(), Box<Status>> {
    let accept = header(headers, ACCEPT);
    let bare = |clause: &'_ str| clause.split(';').next().unwrap_or_default().trim().to_owned();
    let acceptable = |clause: &str| clause == "*/*" || offered.contains(&clause);
    if accept.trim().is_empty() || accept.split(',').map(bare).any(|clause| acceptable(&clause)) {
        return Ok(());
    }
    Err(Status::no_representation(&offered.join(", ")))
}

/// Chooses the output format for an object or a list.
///
/// Protobuf has no words for custom objects, but for their metadata.
pub(crate) fn output(
    formats: MediaTypes,
    headers: &HeaderMap,
    query: &Query,
    custom: bool,
) -> Result<Output, Box<Status>> {
    let view = |clause: &Clause<'_>, format: &Format| {
        let view = clause.view(format.tables && formats.tables.is_some());
        view.filter(|view| !custom || *view != View::Whole || format.name != PROTOBUF)
    };
    let output = choose(headers, query, || formats.all.iter(), view)
        .ok_or_else(|| Status::not_acceptable(&names(formats.all.iter())))?;
    match output.view {
        View::Table(_) if formats.late => TABLES.get().map(|_| output).map_err(Status::unclassified),
        _ => Ok(output),
    }
}

/// Refuses a table as the output format of objects that cannot be shown as one.
pub(crate) fn untabled(formats: MediaTypes, output: Output) -> Result<(), Box<Status>> {
    match output.view {
        View::Table(_) => Err(Status::not_acceptable(&names(formats.all.iter()))),
        _ => Ok(()),
    }
}

/// Chooses the output format for a list of resources.
pub(crate) fn resources(
    formats: MediaTypes,
    headers: &HeaderMap,
    query: &Query,
) -> Result<Output, Box<Status>> {
    choose(headers, query, || formats.all.iter(), whole)
        .ok_or_else(|| Status::not_acceptable(&names(formats.all.iter())))
}

/// Chooses the output format for a response that is not an object.
pub(crate) fn plain(formats: MediaTypes, headers: &HeaderMap, query: &Query) -> Result<Output, Box<Status>> {
    choose(headers, query, || everywhere(formats), whole)
        .ok_or_else(|| Status::not_acceptable(&names(everywhere(formats))))
}

/// Chooses the output format for the groups, if they are to be with all of their resources. Only clauses that ask for
/// that count, wherever they stand.
///
/// <https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery>
pub(crate) fn aggregated(formats: MediaTypes, headers: &HeaderMap, query: &Query) -> Option<Output> {
    let asked = |clause: &Clause<'_>, _: &Format| {
        AGGREGATED.iter().all(|(name, value)| clause.parameter(name) == Some(value)).then_some(View::Whole)
    };
    let any = !header(headers, ACCEPT).trim().is_empty();
    any.then(|| choose(headers, query, || everywhere(formats), asked)).flatten()
}

/// Which of `offered` a handler sends that knows types and subtypes alone, and nothing of parameters.
pub(crate) fn one_of(headers: &HeaderMap, offered: &[&str]) -> Option<usize> {
    let accept = header(headers, ACCEPT);
    if accept.trim().is_empty() {
        return (!offered.is_empty()).then_some(0);
    }
    accept::clauses(accept).iter().find_map(|clause| offered.iter().position(|name| clause.matches(name)))
}

/// The form of what is JSON for people, whatever is asked for.
pub(crate) fn raw(formats: MediaTypes) -> Output {
    Output { format: &formats.all[0], pretty: true, view: View::Whole, is_negotiated: false }
}

/// Returns the output format of an error: the media type that would have been chosen, or JSON where that needs a view.
pub(crate) fn failure(formats: MediaTypes, headers: &HeaderMap, query: &Query, of_object: bool) -> Output {
    let offered = || formats.all.iter().filter(move |format| of_object || format.everywhere);
    choose(headers, query, offered, whole).unwrap_or_else(|| Output {
        format: &formats.all[0],
        pretty: prefers_pretty(headers, query),
        view: View::Whole,
        is_negotiated: false,
    })
}

/// The streams of the media type that was chosen, if a watch can be written in it.
pub(crate) fn stream(formats: MediaTypes, output: Output) -> Result<&'static StreamFormat, Box<Status>> {
    let offered = || streams(formats).collect::<Vec<_>>().join(", ");
    output.format.stream.as_ref().ok_or_else(|| Status::not_acceptable(&offered()))
}

/// The media type of a body. JSON, where it is not said.
pub(crate) fn body(formats: MediaTypes, headers: &HeaderMap) -> Result<&'static Format, Box<Status>> {
    let Some(value) = headers.get(CONTENT_TYPE).filter(|value| !value.is_empty()) else {
        return Ok(&formats.all[0]);
    };
    let find = |name: &str| formats.all.iter().find(|format| format.name == name);
    let known = value.to_str().ok().and_then(|text| find(text).or_else(|| find(&media_type(text)?)));
    known.ok_or_else(|| Status::unsupported_media_type(&names(formats.all.iter())))
}

fn everywhere(formats: MediaTypes) -> impl Iterator<Item = &'static Format> {
    formats.all.iter().filter(|format| format.everywhere)
}

fn streams(formats: MediaTypes) -> impl Iterator<Item = &'static str> {
    formats.all.iter().filter_map(|format| format.stream.as_ref()).map(|stream| stream.offered)
}

fn names(formats: impl Iterator<Item = &'static Format>) -> String {
    formats.map(|format| format.name).collect::<Vec<_>>().join(", ")
}

/// Returns the view of what is not an object: the whole. A clause that asks for another form has none.
fn whole(clause: &Clause<'_>, _: &Format) -> Option<View> {
    (!clause.converts()).then_some(View::Whole)
}

fn choose<I: Iterator<Item = &'static Format>>(
    headers: &HeaderMap,
    query: &Query,
    offered: impl Fn() -> I,
    view: impl Fn(&Clause<'_>, &Format) -> Option<View>,
) -> Option<Output> {
    let accept = header(headers, ACCEPT);
    let pretty = prefers_pretty(headers, query);
    if accept.trim().is_empty() {
        return offered().next().map(|format| Output {
            format,
            pretty,
            view: View::Whole,
            is_negotiated: true,
        });
    }
    accept::clauses(accept).iter().find_map(|clause| {
        let fits = |format: &&Format| clause.matches(format.name) && clause.streams(format.stream.is_some());
        offered().filter(fits).find_map(|format| {
            let pretty = pretty || clause.parameter("pretty") == Some("1");
            view(clause, format).map(|view| Output { format, pretty, view, is_negotiated: true })
        })
    })
}

/// Reports whether JSON is indented: `pretty` in the query decides, or else the `User-Agent` of a browser or of a
/// command-line tool.
fn prefers_pretty(headers: &HeaderMap, query: &Query) -> bool {
    match query.text("pretty") {
        "" => {
            let agent = header(headers, USER_AGENT);
            ["curl", "Wget", "Mozilla/5.0"].iter().any(|known| agent.starts_with(known))
        }
        text => parse_bool(text).unwrap_or_default(),
    }
}

/// Reports whether a body may be in another media type than JSON, or a patch that is read by the same code: what is not
/// written as clients write it is looked at there.
pub(crate) fn reads_other(formats: MediaTypes, headers: &HeaderMap) -> bool {
    let json = ["", formats.all[0].name, "application/json-patch+json", "application/merge-patch+json"];
    headers.get(CONTENT_TYPE).is_some_and(|value| json.iter().all(|name| value != name))
}

/// Reports whether a media type of objects other than JSON may be wanted in the response.
pub(crate) fn wants_other(formats: MediaTypes, headers: &HeaderMap) -> bool {
    accept::clauses(header(headers, ACCEPT)).iter().any(|clause| {
        let mut others = formats.all.iter().skip(1);
        others.any(|format| clause.is_about(format.name)) || clause.is_about("application/cbor-seq")
    })
}

/// Returns whether a response may be wanted as a table.
pub(crate) fn names_tables(headers: &HeaderMap) -> bool {
    accept::clauses(header(headers, ACCEPT)).iter().any(|clause| clause.parameter("as") == Some("Table"))
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
    fn check(accept: &str, expected: Option<(&str, View)>) {
        let chosen = output(MediaTypes::ALL, &headers(accept), &Query::default(), false).ok();
        let chosen = chosen.map(|output| (output.format.name, output.view));
        assert_eq!(chosen, expected, "{accept}");
    }

    #[test]
    fn the_handler_looks_at_parameters() {
        let json = Some(("application/json", View::Whole));
        check("", json);
        check("*/*", json);
        check("application/json", json);
        check("application/json;q=0", json);
        check("text/html,application/xhtml+xml,*/*;q=0.8", json);
        check("application/json;as=Garbage;g=meta.k8s.io;v=v1, application/json", json);
        check("application/json;as=Table", None);
        check("application/json;as=Table;g=meta.k8s.io;v=v2", None);
        check("application/json;g=meta.k8s.io;v=v1", None);
        check("application/json;stream=watch", json);
        check("application/json;stream=", json);
        check("application/json;stream=other", None);
        check("application/yaml;stream=watch", None);
        check("text/html", None);
        let table = Some(("application/json", View::Table(MetaVersion::V1)));
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
            assert_eq!(
                route(MediaTypes::ALL, &headers(accept), Offered::Object).is_ok(),
                expected,
                "{accept}"
            );
        }
    }

    #[test]
    fn the_query_goes_before_the_user_agent() {
        let mut headers = headers("*/*");
        headers.insert(USER_AGENT, "curl/8".parse().expect("a header value"));
        for (query, expected) in
            [("", true), ("pretty=false", false), ("pretty=1", true), ("pretty=yes", false)]
        {
            let output =
                output(MediaTypes::ALL, &headers, &Query::parse(query), false).expect("JSON is accepted");
            assert_eq!(output.pretty, expected, "{query}");
        }
    }
}
