//! The first document of a stream, as a graph of nodes.

use std::collections::HashMap;

use super::Error;
use super::parse::{Parser, What};
use super::reader::Text;

/// The nodes of a document, referring to one another by their index. The root is the first.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
}

#[derive(Debug)]
pub(super) struct Node {
    /// The line that it begins on, counted from zero.
    pub(super) line: usize,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Scalar {
        text: String,
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

/// How many nodes a document may have: each takes some 200 bytes while it is read, and two may be enough to write it.
const NODES: usize = 500_000;

/// Reads the first document of a text; what comes after it is not looked at.
pub(super) fn compose(text: &Text<'_>) -> Result<Graph, Error> {
    let mut graph = Graph::default();
    let Some(mut parser) = Parser::new(text)? else { return Ok(graph) };
    // The collections that have begun and not ended.
    let mut open: Vec<usize> = Vec::new();
    // Of an anchor that stands twice, the later one counts.
    let mut anchors: HashMap<String, usize> = HashMap::new();
    while let Some(event) = parser.next()? {
        let begins = matches!(event.what, What::ListStart | What::MapStart);
        let kind = match event.what {
            What::Scalar { text, plain } => Kind::Scalar { text, quoted: !plain, tag: event.tag },
            What::ListStart => Kind::List(Vec::new()),
            What::MapStart => Kind::Map(Vec::new()),
            What::Alias(name) => match anchors.get(&name) {
                Some(&target) => Kind::Alias { target, name },
                None => return Err(Error::new(format!("unknown anchor '{name}' referenced"))),
            },
            What::End => {
                open.pop();
                continue;
            }
        };
        let node = graph.nodes.len();
        if node == NODES {
            return Err(Error::new(format!("the document is too large: it has more than {NODES} nodes")));
        }
        graph.nodes.push(Node { line: event.line, kind });
        if let Some(&parent) = open.last()
            && let Kind::List(children) | Kind::Map(children) = &mut graph.nodes[parent].kind
        {
            children.push(node);
        }
        if begins {
            open.push(node);
        }
        anchors.extend(event.anchor.map(|name| (name, node)));
    }
    Ok(graph)
}
