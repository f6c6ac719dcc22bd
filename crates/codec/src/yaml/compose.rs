//! The first document of a stream, as a graph of nodes.

use std::borrow::Cow;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, StructureStyle, Tag};

use super::syntax::{self, Context};
use super::{Error, MAX_DEPTH};

/// The nodes of a document, referring to one another by their index. The root is the first.
#[derive(Debug, Default)]
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Node<'a>>,
}

#[derive(Debug)]
pub(super) struct Node<'a> {
    /// Where it begins, counted from zero.
    pub(super) line: usize,
    pub(super) kind: Kind<'a>,
}

#[derive(Debug)]
pub(super) enum Kind<'a> {
    Scalar {
        text: Cow<'a, str>,
        quoted: bool,
        tag: Option<String>,
    },
    List(Vec<usize>),
    /// Keys and values in turn.
    Map(Vec<usize>),
    /// Another mention of a node.
    Alias {
        target: usize,
        name: String,
    },
}

/// Reads the first document of a text; what comes after it is not looked at.
pub(super) fn compose(text: &str) -> Result<Graph<'_>, Error> {
    let mut options = Options::default();
    options.set_emit_comments(false);
    options.emit_unresolved_aliases = true;
    options.emit_anchor_events = true;
    options.flow_nesting_limit = MAX_DEPTH;
    options.block_nesting_limit = MAX_DEPTH;
    let mut parser = Parser::new_from_str_with_options(text, options);
    let mut composer = Composer { text, graph: Graph::default(), open: Vec::new(), anchors: Vec::new() };
    while let Some(event) = parser.next_event() {
        match event {
            Ok((Event::DocumentEnd | Event::StreamEnd, _)) => break,
            Ok((event, span)) => composer.event(event, span)?,
            Err(error) => return Err(syntax::error(text, &error, composer.context())),
        }
    }
    Ok(composer.graph)
}

struct Composer<'a> {
    text: &'a str,
    graph: Graph<'a>,
    /// The collections that have begun and not ended.
    open: Vec<(usize, Context)>,
    anchors: Vec<Anchor>,
}

struct Anchor {
    id: usize,
    node: usize,
    name: String,
}

impl<'a> Composer<'a> {
    fn context(&self) -> Context {
        self.open.last().map_or(Context::Document, |&(_, context)| context)
    }

    fn event(&mut self, event: Event<'a>, span: Span) -> Result<(), Error> {
        let line = span.start.line().saturating_sub(1);
        match event {
            Event::DocumentStart(_, Some(version)) if (version.major, version.minor) != (1, 1) => {
                let directive = self.text.lines().position(|line| line.starts_with("%YAML"));
                return Err(Error::parser(directive.unwrap_or(line), syntax::INCOMPATIBLE));
            }
            Event::Scalar(text, style, anchor, tag) => {
                let source = span.slice(self.text).unwrap_or_default();
                if style == ScalarStyle::DoubleQuoted {
                    syntax::check_escapes(source, line)?;
                }
                let text = if source.contains(SEPARATORS) { trim_separated(&text).into() } else { text };
                let tag = tag.map(|tag| full_name(&tag));
                let quoted = style != ScalarStyle::Plain && tag.as_deref() != Some("!");
                let tag = tag.filter(|tag| tag != "!");
                self.node(line, anchor, Kind::Scalar { text, quoted, tag });
            }
            Event::SequenceStart(style, anchor, _) => {
                let context =
                    if style == StructureStyle::Flow { Context::FlowList } else { Context::BlockList };
                self.begin(line, anchor, Kind::List(Vec::new()), context);
            }
            Event::MappingStart(style, anchor, _) => {
                let context =
                    if style == StructureStyle::Flow { Context::FlowMap } else { Context::BlockMap };
                self.begin(line, anchor, Kind::Map(Vec::new()), context);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.open.pop();
            }
            Event::Anchor(id, name) => {
                if let Some(anchor) = self.anchors.iter_mut().rfind(|anchor| anchor.id == id) {
                    anchor.name = name.into_owned();
                }
            }
            Event::Alias(id) => {
                let Ok(known) = self.anchors.binary_search_by_key(&id, |anchor| anchor.id) else {
                    return Err(Error::parser(line, syntax::NODE_CONTENT));
                };
                let Anchor { node: target, ref name, .. } = self.anchors[known];
                let name = name.clone();
                self.node(line, 0, Kind::Alias { target, name });
            }
            Event::UnresolvedAlias(name) => {
                return Err(Error::new(format!("unknown anchor '{name}' referenced")));
            }
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, line: usize, anchor: usize, kind: Kind<'a>, context: Context) {
        let node = self.node(line, anchor, kind);
        self.open.push((node, context));
    }

    /// Adds a node to the collection that is open. Anchors are numbered from one, in order.
    fn node(&mut self, line: usize, anchor: usize, kind: Kind<'a>) -> usize {
        let node = self.graph.nodes.len();
        self.graph.nodes.push(Node { line, kind });
        if let Some(&(parent, _)) = self.open.last()
            && let Kind::List(children) | Kind::Map(children) = &mut self.graph.nodes[parent].kind
        {
            children.push(node);
        }
        if anchor > 0 {
            self.anchors.push(Anchor { id: anchor, node, name: String::new() });
        }
        node
    }
}

/// In YAML 1.1 these end a line, and are kept where others are folded.
const SEPARATORS: [char; 2] = ['\u{2028}', '\u{2029}'];

/// The text without the blanks around its separators, which are the ends and the indentation of lines.
fn trim_separated(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive(SEPARATORS).collect();
    let mut trimmed = String::with_capacity(text.len());
    for (index, line) in lines.iter().enumerate() {
        let line = if index > 0 { line.trim_start_matches([' ', '\t']) } else { line };
        let separator = line.chars().next_back().filter(|last| SEPARATORS.contains(last));
        let content = if separator.is_some() {
            line.trim_end_matches(SEPARATORS).trim_end_matches([' ', '\t'])
        } else {
            line
        };
        trimmed.push_str(content);
        trimmed.extend(separator);
    }
    trimmed
}

fn full_name(tag: &Tag) -> String {
    [tag.handle(), tag.suffix()].concat()
}
