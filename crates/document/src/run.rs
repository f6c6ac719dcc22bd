//! Running a document's blocks, one after the other or as somebody chooses.

mod assumed;
mod commands;

use bytes::Bytes;
use json_tree::Value;

use crate::arrange::Arranged;
use crate::block::{Block, Content, Heading, Role};
use crate::compare::{self, Comparison};
use crate::http::{Documented, Exchange};
use crate::message::{JSON, Request};
use crate::names::Names;
pub use crate::outcome::{Note, Outcome, Sent};
use crate::pattern::{self, Item, Pattern};
use crate::scene::Scene;
use crate::server::Server;
use crate::{block, body, watch, words};

/// How a block is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// As an example: what it assumes is made first, and the responses are compared with what is documented.
    Example,
    /// As a reader types it: as it stands.
    Typed,
}

/// A document that is being run.
#[derive(Clone, Debug)]
pub struct Runner {
    blocks: Vec<Block>,
    scene: Scene,
    arranged: Arranged,
    names: Names,
}

impl Runner {
    /// Makes a runner for the blocks of a document. Of lines of a shell it is known only then whether they can run.
    pub fn new(mut blocks: Vec<Block>, scene: Scene) -> Self {
        block::refine(&mut blocks);
        Self { blocks, scene, arranged: Arranged::default(), names: Names::default() }
    }

    /// Returns the blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Runs a block. A solution or a wrong attempt of a lesson is run as [`Self::run_written`] runs what a reader types.
    pub async fn run(&mut self, server: &impl Server, number: usize) -> Outcome {
        let Some(block) = self.blocks.get(number).cloned() else { return Outcome::default() };
        let manner = if block.role == Role::Example { Manner::Example } else { Manner::Typed };
        self.run_block(server, number, &block, manner).await
    }

    /// Runs a text that somebody typed: requests, lines of a shell or a manifest. The names that are known from the document
    /// count, and commands may read its manifests as files. Nothing is made first, added, mended or compared, so that the
    /// response is the one to what was typed. [`Outcome::failed`] tells why a text cannot be run.
    pub async fn run_written(&mut self, server: &impl Server, text: &str) -> Outcome {
        let mut blocks = [Block::new(text, 1, "", &Heading::default())];
        block::refine(&mut blocks);
        let [block] = blocks;
        self.run_block(server, self.blocks.len(), &block, Manner::Typed).await
    }

    async fn run_block(
        &mut self,
        server: &impl Server,
        number: usize,
        block: &Block,
        manner: Manner,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let ran = match &block.content {
            Content::Http(exchanges) => self.exchange_all(server, exchanges, manner, &mut outcome).await,
            Content::Shell(lines, documented) => {
                let documented = documented.as_ref().filter(|_| manner == Manner::Example);
                self.shell(server, number, lines, documented, manner, &mut outcome).await
            }
            Content::Manifest => self.manifest(server, &block.text, manner, &mut outcome).await,
            _ if manner == Manner::Example => Ok(()),
            Content::Text(Some(why)) => Err(why.to_string()),
            Content::Response(_) => Err(words::IS_RESPONSE.to_owned()),
            _ => Err(words::NOTHING_TO_RUN.to_owned()),
        };
        outcome.failed = ran.err();
        outcome
    }

    async fn exchange_all(
        &mut self,
        server: &impl Server,
        exchanges: &[Exchange],
        manner: Manner,
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        for exchange in exchanges {
            let sent = self.exchange(server, exchange, manner).await?;
            outcome.sent.push(sent);
        }
        Ok(())
    }

    async fn exchange(
        &mut self,
        server: &impl Server,
        exchange: &Exchange,
        manner: Manner,
    ) -> Result<Sent, String> {
        let mut request = written(exchange);
        let mut notes: Vec<Note> = Vec::new();
        let is_example = manner == Manner::Example;
        let told = exchange.documented.as_ref().filter(|_| is_example);
        let documented = self.documented(server, told).await;
        notes.extend(ask_for_table(&mut request, &documented));
        if is_example {
            for need in self.needs(&request, exchange, &self.arranged.kinds) {
                self.arranged.assume(server, &need).await;
            }
        }
        notes.extend(self.arranged.take_made().into_iter().map(Note::Made));
        let composing = body::Composing {
            server,
            kinds: &self.arranged.kinds,
            status: told.and_then(|told| told.status),
            documented: &documented,
        };
        if is_example {
            composing.fill(&mut request, &exchange.body, &mut notes).await?;
        } else {
            request.body = exchange.body.clone().into();
        }
        notes.extend(self.names.fill(&mut request).into_iter().map(Note::Named));
        if is_example {
            composing.renew(&mut request, &mut notes).await;
        }
        composing.encode(&mut request, &mut notes).await?;
        let mut sent = self.send(server, request).await?;
        sent.notes = notes;
        if request_watches(&sent) && told.is_some() {
            let happening =
                watch::Happening { server, kinds: &self.arranged.kinds, path: sent.request.path() };
            let notes = happening.bring_about(&sent.response, &documented).await?;
            sent.notes.extend(notes);
            sent.body = server.body(&sent.response).await;
        }
        self.compare(server, told, &documented, &mut sent).await;
        Ok(sent)
    }

    async fn send(&mut self, server: &impl Server, request: Request) -> Result<Sent, String> {
        let response = server.send(&request).await?;
        let body = server.body(&response).await;
        if request.method != "GET" {
            let object = body.first().and_then(|body| serde_json::from_slice(body).ok());
            self.arranged.note(&request, response.status, &object.unwrap_or_default());
        }
        Ok(Sent { request, response, body, ..Sent::default() })
    }

    /// Returns the values that a documented response has.
    async fn documented(&self, server: &impl Server, documented: Option<&Documented>) -> Vec<Item> {
        let Some(documented) = documented else { return Vec::new() };
        let text = documented.body.trim_start();
        if text.starts_with(['{', '[']) || text.is_empty() || text.starts_with("...") || text.starts_with('…')
        {
            return pattern::read(text);
        }
        let is_left_out = |line: &&str| matches!(line.trim(), "..." | "…");
        let lines: Vec<&str> = documented.body.lines().filter(|line| !is_left_out(line)).collect();
        match server.to_json(crate::message::YAML, Bytes::from(lines.join("\n"))).await {
            Ok(json) => {
                let value: Value = serde_json::from_slice(&json).unwrap_or_default();
                if value.is_object() { vec![Item::One(Pattern::of(&value))] } else { vec![Item::Gap] }
            }
            Err(_) => vec![Item::Gap],
        }
    }

    async fn compare(
        &mut self,
        server: &impl Server,
        told: Option<&Documented>,
        documented: &[Item],
        sent: &mut Sent,
    ) {
        let Some(told) = told else { return };
        sent.documented = true;
        compare::head(told, &sent.response, &mut sent.differences);
        // What came instead is another thing.
        if sent.differences.iter().any(|difference| difference.at == "status" && sent.response.status >= 300)
        {
            return;
        }
        let content_type = sent.response.header("Content-Type").unwrap_or(JSON).to_owned();
        let mut values = Vec::new();
        for part in &sent.body {
            let json = if content_type.starts_with(JSON) {
                Ok(part.clone())
            } else {
                server.to_json(&content_type, part.clone()).await
            };
            values.extend(json.ok().and_then(|json| serde_json::from_slice::<Value>(&json).ok()));
        }
        let mut comparison = Comparison::new(&mut self.names);
        if request_watches(sent) {
            comparison.events(documented, &values);
        } else {
            // What cannot be read is not what is documented.
            comparison.body(documented, values.first().unwrap_or(&Value::Null));
        }
        sent.differences.append(&mut comparison.differences);
    }
}

/// Asks for a table where one is documented, and the document leaves out that it was asked for.
fn ask_for_table(request: &mut Request, documented: &[Item]) -> Option<Note> {
    let table = pattern::first(documented)?;
    let is_table = table.get("kind").and_then(Pattern::as_str) == Some("Table");
    if !is_table || request.header("Accept").is_some() || request.watches() {
        return None;
    }
    let version = table.get("apiVersion").and_then(Pattern::as_str).and_then(|told| told.split_once('/'));
    let version = version.map_or("v1", |(_, version)| version);
    let accept = format!("application/json;as=Table;g=meta.k8s.io;v={version}");
    request.headers.push(("Accept".to_owned(), accept.clone()));
    Some(Note::Added(["Accept: ", &accept].concat()))
}

fn request_watches(sent: &Sent) -> bool {
    sent.request.watches() && sent.response.status < 300
}

/// Returns a request as it is written, without its body.
fn written(exchange: &Exchange) -> Request {
    let mut request = Request::new(&exchange.method, &exchange.target);
    request.headers.clone_from(&exchange.headers);
    request
}
