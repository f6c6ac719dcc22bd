//! Tokens to the events of the first document, by libyaml's grammar.

use std::collections::HashMap;

use super::Error;
use super::reader::Text;
use super::scan::{Kind, Scanner, Token};

/// A node of the document, or the end of one that has others inside.
#[derive(Debug)]
pub(super) struct Event {
    /// The line that it begins on, counted from zero.
    pub(super) line: usize,
    pub(super) anchor: Option<String>,
    pub(super) tag: Option<String>,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    Scalar {
        text: String,
        plain: bool,
    },
    Alias(String),
    ListStart,
    MapStart,
    /// Of the list or map that began last.
    End,
}

/// The part of the document that comes next.
#[derive(Clone, Copy, Debug)]
enum State {
    /// That of the document.
    Node,
    /// The same, of a document that says only that it begins.
    Nothing(usize),
    BlockListEntry,
    /// Of a list that is in no further than the key it belongs to.
    IndentlessListEntry,
    BlockMapKey,
    BlockMapValue,
    FlowListFirst,
    FlowListEntry,
    /// Of a map of one entry that stands in a list without `{` and `}`.
    PairKey,
    PairValue,
    PairEnd,
    FlowMapFirst,
    FlowMapKey,
    FlowMapValue,
    /// Of a key without `:`.
    FlowMapNoValue,
}

/// The context of a node.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Block,
    /// In a block, where `-` may stand below the key.
    BlockValue,
    Flow,
}

/// Reads the events of the first document.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    scanner: Scanner<'a>,
    states: Vec<State>,
    /// The prefixes of tags by their handles.
    prefixes: HashMap<String, Vec<u8>>,
}

impl<'a> Parser<'a> {
    /// Goes to the beginning of the first document; `None` if there is none.
    pub(super) fn new(text: &'a Text<'_>) -> Result<Option<Self>, Error> {
        let mut parser = Self { scanner: Scanner::new(text), states: Vec::new(), prefixes: HashMap::new() };
        let first = &parser.scanner.peek()?.kind;
        if *first == Kind::StreamEnd {
            return Ok(None);
        }
        let is_explicit = begins_document(first);
        parser.directives()?;
        parser.states.push(State::Node);
        if is_explicit {
            let Token { line, kind } = parser.scanner.peek()?;
            if *kind != Kind::DocumentStart {
                return Err(Error::parser(*line, "did not find expected <document start>"));
            }
            parser.scanner.take();
            // There may be nothing in it.
            let Token { line, kind } = parser.scanner.peek()?;
            if begins_document(kind) || matches!(kind, Kind::DocumentEnd | Kind::StreamEnd) {
                parser.states = vec![State::Nothing(*line)];
            }
        }
        Ok(Some(parser))
    }

    fn directives(&mut self) -> Result<(), Error> {
        let mut has_version = false;
        while let Token { line, kind: Kind::Version(..) | Kind::TagDirective { .. } } =
            *self.scanner.peek()?
        {
            match self.scanner.take().kind {
                Kind::Version(..) if has_version => {
                    return Err(Error::parser(line, "found duplicate %YAML directive"));
                }
                Kind::Version(1, 1) => has_version = true,
                Kind::TagDirective { handle, .. } if self.prefix(&handle).is_some() => {
                    return Err(Error::parser(line, "found duplicate %TAG directive"));
                }
                Kind::TagDirective { handle, prefix } => drop(self.prefixes.insert(handle, prefix)),
                _ => return Err(Error::parser(line, "found incompatible YAML document")),
            }
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            self.prefixes.entry(handle.to_owned()).or_insert_with(|| prefix.into());
        }
        Ok(())
    }

    fn prefix(&self, handle: &str) -> Option<&[u8]> {
        self.prefixes.get(handle).map(Vec::as_slice)
    }

    /// The next event; `None` at the end of the document. Whatever comes there ends it, as long as it is a token.
    pub(super) fn next(&mut self) -> Result<Option<Event>, Error> {
        match self.states.pop() {
            None => self.scanner.peek().map(|_| None),
            Some(state) => self.in_state(state).map(Some),
        }
    }

    fn in_state(&mut self, state: State) -> Result<Event, Error> {
        match state {
            State::Node => self.node(Place::Block),
            State::Nothing(line) => Ok(empty(line)),
            State::BlockListEntry => self.block_list_entry(),
            State::IndentlessListEntry => self.indentless_list_entry(),
            State::BlockMapKey => self.block_map_key(),
            State::BlockMapValue => self.block_map_value(),
            State::FlowListFirst | State::FlowListEntry => {
                self.flow_list_entry(matches!(state, State::FlowListFirst))
            }
            State::PairKey => self.pair_key(),
            State::PairValue => self.flow_value(State::PairEnd, &Kind::FlowListEnd),
            State::PairEnd => {
                self.states.push(State::FlowListEntry);
                let line = self.scanner.peek()?.line;
                Ok(end(line))
            }
            State::FlowMapFirst | State::FlowMapKey => {
                self.flow_map_key(matches!(state, State::FlowMapFirst))
            }
            State::FlowMapValue => self.flow_value(State::FlowMapKey, &Kind::FlowMapEnd),
            State::FlowMapNoValue => {
                self.states.push(State::FlowMapKey);
                let line = self.scanner.peek()?.line;
                Ok(empty(line))
            }
        }
    }

    fn node(&mut self, place: Place) -> Result<Event, Error> {
        let first = self.scanner.peek()?.line;
        let (mut anchor, mut tag, mut tag_line) = (None, None, first);
        // One of each, in any order.
        loop {
            match self.scanner.peek()? {
                Token { kind: Kind::Anchor(_), .. } if anchor.is_none() => {}
                Token { kind: Kind::Tag { .. }, line } if tag.is_none() => tag_line = *line,
                Token { kind: Kind::Alias(_), .. } if anchor.is_none() && tag.is_none() => {}
                _ => break,
            }
            match self.scanner.take().kind {
                Kind::Anchor(name) => anchor = Some(name),
                Kind::Tag { handle, suffix } => tag = Some((handle, suffix)),
                Kind::Alias(name) => {
                    return Ok(Event { line: first, anchor: None, tag: None, what: What::Alias(name) });
                }
                _ => {}
            }
        }
        let tag = match tag {
            None => None,
            Some((handle, suffix)) => {
                let prefix = if handle.is_empty() { Some(&[][..]) } else { self.prefix(&handle) };
                // One whose prefix and suffix are empty is none.
                let Some(tag) = prefix.map(|prefix| [prefix, &suffix].concat()).filter(|tag| !tag.is_empty())
                else {
                    return Err(Error::parser(tag_line, "found undefined tag handle"));
                };
                Some(String::from_utf8_lossy(&tag).into_owned())
            }
        };
        let Token { line, kind } = self.scanner.peek()?;
        let (line, is_block) = (*line, place != Place::Flow);
        let (what, next) = match kind {
            Kind::BlockEntry if place == Place::BlockValue => (What::ListStart, State::IndentlessListEntry),
            Kind::Scalar { .. } => {
                let Kind::Scalar { text, plain } = self.scanner.take().kind else { return Ok(empty(line)) };
                return Ok(Event { line: first, anchor, tag, what: What::Scalar { text, plain } });
            }
            Kind::FlowListStart => (What::ListStart, State::FlowListFirst),
            Kind::FlowMapStart => (What::MapStart, State::FlowMapFirst),
            Kind::BlockListStart if is_block => (What::ListStart, State::BlockListEntry),
            Kind::BlockMapStart if is_block => (What::MapStart, State::BlockMapKey),
            _ if anchor.is_some() || tag.is_some() => {
                return Ok(Event { line: first, anchor, tag, ..empty(first) });
            }
            _ => return Err(Error::parser(line, "did not find expected node content")),
        };
        if !matches!(next, State::IndentlessListEntry) {
            self.scanner.take();
        }
        self.states.push(next);
        Ok(Event { line: first, anchor, tag, what })
    }

    /// A node, unless one of these tokens is next: then it is empty.
    fn node_unless(
        &mut self,
        ends: impl Fn(&Kind) -> bool,
        line: Option<usize>,
        place: Place,
        next: State,
    ) -> Result<Event, Error> {
        self.states.push(next);
        let token = self.scanner.peek()?;
        if ends(&token.kind) { Ok(empty(line.unwrap_or(token.line))) } else { self.node(place) }
    }

    fn finish(&mut self) -> Event {
        end(self.scanner.take().line)
    }

    fn block_list_entry(&mut self) -> Result<Event, Error> {
        let Token { line, kind } = self.scanner.peek()?;
        let line = *line;
        match kind {
            Kind::BlockEntry => {
                self.scanner.take();
                let ends = |kind: &Kind| matches!(kind, Kind::BlockEntry | Kind::BlockEnd);
                self.node_unless(ends, Some(line), Place::Block, State::BlockListEntry)
            }
            Kind::BlockEnd => Ok(self.finish()),
            _ => Err(Error::parser(line, "did not find expected '-' indicator")),
        }
    }

    fn indentless_list_entry(&mut self) -> Result<Event, Error> {
        let Token { line, kind } = self.scanner.peek()?;
        let line = *line;
        if *kind != Kind::BlockEntry {
            return Ok(end(line));
        }
        self.scanner.take();
        let ends = |kind: &Kind| matches!(kind, Kind::BlockEntry | Kind::Key | Kind::Value | Kind::BlockEnd);
        self.node_unless(ends, Some(line), Place::Block, State::IndentlessListEntry)
    }

    fn block_map_key(&mut self) -> Result<Event, Error> {
        let Token { line, kind } = self.scanner.peek()?;
        let line = *line;
        match kind {
            Kind::Key => {
                self.scanner.take();
                self.node_unless(ends_block_entry, Some(line), Place::BlockValue, State::BlockMapValue)
            }
            Kind::BlockEnd => Ok(self.finish()),
            _ => Err(Error::parser(line, "did not find expected key")),
        }
    }

    fn block_map_value(&mut self) -> Result<Event, Error> {
        let Token { line, kind } = self.scanner.peek()?;
        let line = *line;
        if *kind != Kind::Value {
            self.states.push(State::BlockMapKey);
            return Ok(empty(line));
        }
        self.scanner.take();
        self.node_unless(ends_block_entry, Some(line), Place::BlockValue, State::BlockMapKey)
    }

    /// Goes over the comma before an entry that is not the first. Whether the list or map ends.
    fn flow_ends(&mut self, first: bool, last: &Kind, problem: &'static str) -> Result<bool, Error> {
        if !first && self.scanner.peek()?.kind != *last {
            let Token { line, kind } = self.scanner.peek()?;
            if *kind != Kind::FlowEntry {
                return Err(Error::parser(*line, problem));
            }
            self.scanner.take();
        }
        Ok(self.scanner.peek()?.kind == *last)
    }

    fn flow_list_entry(&mut self, first: bool) -> Result<Event, Error> {
        if self.flow_ends(first, &Kind::FlowListEnd, "did not find expected ',' or ']'")? {
            return Ok(self.finish());
        }
        if self.scanner.peek()?.kind == Kind::Key {
            let line = self.scanner.take().line;
            self.states.push(State::PairKey);
            return Ok(Event { line, anchor: None, tag: None, what: What::MapStart });
        }
        self.states.push(State::FlowListEntry);
        self.node(Place::Flow)
    }

    fn pair_key(&mut self) -> Result<Event, Error> {
        self.states.push(State::PairValue);
        match self.scanner.peek()?.kind {
            // What libyaml takes away here is missed later.
            Kind::Value | Kind::FlowEntry | Kind::FlowListEnd => Ok(empty(self.scanner.take().line)),
            _ => self.node(Place::Flow),
        }
    }

    /// Returns the event of the value behind `:`, in a map that `last` ends.
    fn flow_value(&mut self, next: State, last: &Kind) -> Result<Event, Error> {
        let Token { line, kind } = self.scanner.peek()?;
        if *kind != Kind::Value {
            let line = *line;
            self.states.push(next);
            return Ok(empty(line));
        }
        self.scanner.take();
        let ends = |kind: &Kind| *kind == Kind::FlowEntry || kind == last;
        self.node_unless(ends, None, Place::Flow, next)
    }

    fn flow_map_key(&mut self, first: bool) -> Result<Event, Error> {
        if self.flow_ends(first, &Kind::FlowMapEnd, "did not find expected ',' or '}'")? {
            return Ok(self.finish());
        }
        if self.scanner.peek()?.kind != Kind::Key {
            self.states.push(State::FlowMapNoValue);
            return self.node(Place::Flow);
        }
        self.scanner.take();
        let ends = |kind: &Kind| matches!(kind, Kind::Value | Kind::FlowEntry | Kind::FlowMapEnd);
        self.node_unless(ends, None, Place::Flow, State::FlowMapValue)
    }
}

fn begins_document(kind: &Kind) -> bool {
    matches!(kind, Kind::Version(..) | Kind::TagDirective { .. } | Kind::DocumentStart)
}

fn ends_block_entry(kind: &Kind) -> bool {
    matches!(kind, Kind::Key | Kind::Value | Kind::BlockEnd)
}

fn empty(line: usize) -> Event {
    Event { line, anchor: None, tag: None, what: What::Scalar { text: String::new(), plain: true } }
}

fn end(line: usize) -> Event {
    Event { line, anchor: None, tag: None, what: What::End }
}
