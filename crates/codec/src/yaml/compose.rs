//! The first document of a stream, as a graph of nodes.

use std::borrow::Cow;
use std::collections::HashMap;

use super::Error;
use super::scan::{Scanner, Token};

const NODE_CONTENT: &str = "did not find expected node content";
const KEY: &str = "did not find expected key";
const LIST_ENTRY: &str = "did not find expected '-' indicator";
const MAP_END: &str = "did not find expected ',' or '}'";
const LIST_END: &str = "did not find expected ',' or ']'";
const DOCUMENT_START: &str = "did not find expected <document start>";

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

impl Kind<'_> {
    fn empty(tag: Option<String>) -> Self {
        Self::Scalar { text: Cow::Borrowed(""), quoted: false, tag }
    }
}

/// Reads the first document of a text; what comes after it is not looked at.
pub(super) fn compose(text: &str) -> Result<Graph<'_>, Error> {
    let mut composer = Composer {
        scanner: Scanner::new(text),
        graph: Graph::default(),
        anchors: HashMap::new(),
        handles: Vec::new(),
    };
    composer.document()?;
    Ok(composer.graph)
}

struct Composer<'a> {
    scanner: Scanner<'a>,
    graph: Graph<'a>,
    anchors: HashMap<&'a str, usize>,
    /// What the handles of tags stand for.
    handles: Vec<(&'a str, Cow<'a, str>)>,
}

/// Where a node may stand: what may begin there, and which tokens say that it is left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// After a `-`.
    Item,
    /// A key or a value, whose `-` may stand in the column of the map.
    Entry,
    /// Within `{}` or `[]`.
    Flow,
}

impl<'a> Composer<'a> {
    fn document(&mut self) -> Result<(), Error> {
        if matches!(self.scanner.peek()?.1, Token::StreamEnd) {
            return Ok(());
        }
        self.directives()?;
        if matches!(self.scanner.peek()?.1, Token::DocumentStart) {
            self.scanner.take();
            let (line, token) = self.scanner.peek()?;
            if let Token::Version(_)
            | Token::TagDirective(..)
            | Token::DocumentStart
            | Token::DocumentEnd
            | Token::StreamEnd = token
            {
                self.add(line, Kind::empty(None), None);
                return Ok(());
            }
        }
        self.node(Place::Item)?;
        // What comes next has to be a token.
        self.scanner.peek().map(drop)
    }

    /// The directives before a document, which a `---` has to follow.
    fn directives(&mut self) -> Result<(), Error> {
        let (mut versions, mut any) = (0, false);
        loop {
            let (line, token) = self.scanner.peek()?;
            match token {
                Token::Version(known) => {
                    versions += 1;
                    if versions > 1 {
                        return Err(Error::parser(line, "found duplicate %YAML directive"));
                    }
                    if !known {
                        return Err(Error::parser(line, "found incompatible YAML document"));
                    }
                    self.scanner.take();
                }
                Token::TagDirective(..) => {
                    if let Token::TagDirective(handle, prefix) = self.scanner.take() {
                        if self.handles.iter().any(|(known, _)| *known == handle) {
                            return Err(Error::parser(line, "found duplicate %TAG directive"));
                        }
                        self.handles.push((handle, prefix));
                    }
                }
                Token::DocumentStart => return Ok(()),
                _ if any => return Err(Error::parser(line, DOCUMENT_START)),
                _ => return Ok(()),
            }
            any = true;
        }
    }

    fn add(&mut self, line: usize, kind: Kind<'a>, anchor: Option<&'a str>) -> usize {
        let node = self.graph.nodes.len();
        self.graph.nodes.push(Node { line, kind });
        if let Some(name) = anchor {
            self.anchors.insert(name, node);
        }
        node
    }

    /// Adds a child to a list or a map.
    fn adopt(&mut self, parent: usize, child: usize) {
        if let Kind::List(children) | Kind::Map(children) = &mut self.graph.nodes[parent].kind {
            children.push(child);
        }
    }

    fn node(&mut self, place: Place) -> Result<usize, Error> {
        let (start, _) = self.scanner.peek()?;
        let (mut anchor, mut tag) = (None, None);
        loop {
            let (line, token) = self.scanner.peek()?;
            match token {
                Token::Alias(name) if anchor.is_none() && tag.is_none() => {
                    let name = *name;
                    let Some(&target) = self.anchors.get(name) else {
                        return Err(Error::new(format!("unknown anchor '{name}' referenced")));
                    };
                    self.scanner.take();
                    return Ok(self.add(line, Kind::Alias { target, name: name.to_owned() }, None));
                }
                Token::Anchor(name) if anchor.is_none() => {
                    anchor = Some(*name);
                    self.scanner.take();
                }
                Token::Tag(..) if tag.is_none() => {
                    if let Token::Tag(handle, name) = self.scanner.take() {
                        tag = Some((line, handle, name));
                    }
                }
                _ => break,
            }
        }
        let tag = match tag {
            Some((line, handle, name)) => Some(self.full_name(line, handle, &name)?),
            None => None,
        };
        let (line, token) = self.scanner.peek()?;
        match token {
            Token::Scalar(..) => {
                let Token::Scalar(text, plain) = self.scanner.take() else { return Ok(0) };
                let quoted = !plain && tag.as_deref() != Some("!");
                let tag = tag.filter(|tag| tag != "!");
                Ok(self.add(start, Kind::Scalar { text, quoted, tag }, anchor))
            }
            Token::Item if place == Place::Entry => {
                let list = self.add(start, Kind::List(Vec::new()), anchor);
                self.items(list, true)?;
                Ok(list)
            }
            Token::BlockList if place != Place::Flow => {
                self.scanner.take();
                let list = self.add(start, Kind::List(Vec::new()), anchor);
                self.items(list, false)?;
                self.block_end(LIST_ENTRY)?;
                Ok(list)
            }
            Token::BlockMap if place != Place::Flow => {
                self.scanner.take();
                let map = self.add(start, Kind::Map(Vec::new()), anchor);
                self.block_entries(map)?;
                self.block_end(KEY)?;
                Ok(map)
            }
            Token::FlowList => {
                let list = self.add(start, Kind::List(Vec::new()), anchor);
                self.flow(list, true)?;
                Ok(list)
            }
            Token::FlowMap => {
                let map = self.add(start, Kind::Map(Vec::new()), anchor);
                self.flow(map, false)?;
                Ok(map)
            }
            _ if anchor.is_some() || tag.is_some() => Ok(self.add(start, Kind::empty(tag), anchor)),
            _ => Err(Error::parser(line, NODE_CONTENT)),
        }
    }

    /// A node, or an empty one on `line` if the next token says that there is none.
    fn node_or_empty(&mut self, line: usize, place: Place) -> Result<usize, Error> {
        let is_missing = match self.scanner.peek()?.1 {
            Token::Item => place == Place::Item,
            Token::Key => place == Place::Entry,
            Token::BlockEnd => place != Place::Flow,
            Token::Value => place != Place::Item,
            Token::Comma | Token::FlowListEnd | Token::FlowMapEnd => place == Place::Flow,
            _ => false,
        };
        if is_missing { Ok(self.add(line, Kind::empty(None), None)) } else { self.node(place) }
    }

    /// The items of a list that begin with `-`. In the column of a map, what comes next there may stand for an item that
    /// is left out.
    fn items(&mut self, list: usize, in_map: bool) -> Result<(), Error> {
        while let (line, Token::Item) = self.scanner.peek()? {
            self.scanner.take();
            let item = match self.scanner.peek()?.1 {
                Token::Key | Token::Value if in_map => self.add(line, Kind::empty(None), None),
                _ => self.node_or_empty(line, Place::Item)?,
            };
            self.adopt(list, item);
        }
        Ok(())
    }

    fn block_entries(&mut self, map: usize) -> Result<(), Error> {
        while let (line, Token::Key) = self.scanner.peek()? {
            self.scanner.take();
            let key = self.node_or_empty(line, Place::Entry)?;
            self.adopt(map, key);
            self.value(map, Place::Entry)?;
        }
        Ok(())
    }

    fn value(&mut self, map: usize, place: Place) -> Result<(), Error> {
        let (line, token) = self.scanner.peek()?;
        let value = if matches!(token, Token::Value) {
            self.scanner.take();
            self.node_or_empty(line, place)?
        } else {
            self.add(line, Kind::empty(None), None)
        };
        self.adopt(map, value);
        Ok(())
    }

    fn block_end(&mut self, expected: &'static str) -> Result<(), Error> {
        match self.scanner.peek()? {
            (_, Token::BlockEnd) => {
                self.scanner.take();
                Ok(())
            }
            (line, _) => Err(Error::parser(line, expected)),
        }
    }

    /// What stands within `[]` or `{}`.
    fn flow(&mut self, parent: usize, is_list: bool) -> Result<(), Error> {
        self.scanner.take();
        let mut first = true;
        while !self.is_flow_end(is_list)? {
            if !std::mem::take(&mut first) {
                let (line, token) = self.scanner.peek()?;
                if !matches!(token, Token::Comma) {
                    return Err(Error::parser(line, if is_list { LIST_END } else { MAP_END }));
                }
                self.scanner.take();
                if self.is_flow_end(is_list)? {
                    break;
                }
            }
            let (line, token) = self.scanner.peek()?;
            let is_key = matches!(token, Token::Key);
            if is_key {
                self.scanner.take();
            }
            match (is_list, is_key) {
                (true, true) => {
                    // A map of one entry.
                    let map = self.add(line, Kind::Map(Vec::new()), None);
                    self.adopt(parent, map);
                    self.pair(map, line)?;
                }
                (true, false) => {
                    let item = self.node(Place::Flow)?;
                    self.adopt(parent, item);
                }
                (false, true) => {
                    let key = self.node_or_empty(line, Place::Flow)?;
                    self.adopt(parent, key);
                    self.value(parent, Place::Flow)?;
                }
                (false, false) => {
                    let key = self.node(Place::Flow)?;
                    self.adopt(parent, key);
                    let (line, _) = self.scanner.peek()?;
                    let value = self.add(line, Kind::empty(None), None);
                    self.adopt(parent, value);
                }
            }
        }
        self.scanner.take();
        Ok(())
    }

    fn is_flow_end(&mut self, is_list: bool) -> Result<bool, Error> {
        Ok(match self.scanner.peek()?.1 {
            Token::FlowListEnd => is_list,
            Token::FlowMapEnd => !is_list,
            _ => false,
        })
    }

    /// A key and a value within `[]`. Where the key is left out, go-yaml skips the token after it.
    fn pair(&mut self, map: usize, line: usize) -> Result<(), Error> {
        let key = match self.scanner.peek()?.1 {
            Token::Value | Token::Comma | Token::FlowListEnd => {
                self.scanner.take();
                self.add(line, Kind::empty(None), None)
            }
            _ => self.node(Place::Flow)?,
        };
        self.adopt(map, key);
        self.value(map, Place::Flow)
    }

    fn full_name(&self, line: usize, handle: &str, name: &str) -> Result<String, Error> {
        let declared = self.handles.iter().find(|(known, _)| *known == handle);
        let prefix = match (declared, handle) {
            (Some((_, prefix)), _) => prefix,
            (None, "" | "!") => handle,
            (None, "!!") => "tag:yaml.org,2002:",
            (None, _) => return Err(Error::parser(line, "found undefined tag handle")),
        };
        Ok([prefix, name].concat())
    }
}
