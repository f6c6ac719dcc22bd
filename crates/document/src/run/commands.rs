//! Running manifests and the lines of a shell.

use json_tree::Value;

use super::{Manner, Note, Outcome, Runner};
use crate::arrange;
use crate::block::{Block, Content};
use crate::command::{self, Source};
use crate::compare::{self, Comparison};
use crate::http::Documented;
use crate::needs::{self, Need};
use crate::pattern::{Item, Pattern};
use crate::server::Server;
use crate::words;

/// The command by which the manifests of a document are applied.
const APPLY: &str = "kubectl apply --server-side -f manifest.yaml";

impl Runner {
    pub(super) async fn manifest(
        &mut self,
        server: &impl Server,
        text: &str,
        manner: Manner,
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        let line = command::read(APPLY)?;
        let objects = arrange::objects(server, text).await?;
        for line in &line {
            self.command(server, line, objects.clone(), None, manner, outcome).await?;
        }
        Ok(())
    }

    pub(super) async fn shell(
        &mut self,
        server: &impl Server,
        number: usize,
        lines: &str,
        documented: Option<&Documented>,
        manner: Manner,
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        for line in command::read(lines)? {
            let mut objects = Vec::new();
            for source in line.manifests() {
                let text = match source {
                    Source::Inline(text) => text.clone(),
                    Source::File(path) => self.file(number, path)?,
                };
                objects.extend(arrange::objects(server, &text).await?);
            }
            self.command(server, &line, objects, documented, manner, outcome).await?;
        }
        if let Some(documented) = documented {
            self.compare_printed(server, documented, outcome).await;
        }
        Ok(())
    }

    async fn command(
        &mut self,
        server: &impl Server,
        line: &command::Line,
        objects: Vec<Value>,
        told: Option<&Documented>,
        manner: Manner,
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        // What a command prints is no body of a response.
        let status = told.map(|told| Documented { status: told.status, ..Documented::default() });
        let documented = told.is_some();
        let is_example = manner == Manner::Example;
        let helps = is_example && objects.is_empty() && !line.creates();
        for object in objects.iter().filter(|_| is_example) {
            let own = object.pointer("/metadata/namespace").and_then(Value::as_str);
            // A manifest may make it itself.
            let makes = |name: &str| {
                objects
                    .iter()
                    .any(|object| object["kind"] == "Namespace" && object["metadata"]["name"] == name)
            };
            if let Some(namespace) = own.filter(|name| *name != "default" && !makes(name)) {
                self.arranged.assume(server, &Need::Namespace(namespace.to_owned())).await;
            }
        }
        let mut running = line.begin(&self.arranged.kinds, self.scene.namespace(), objects)?;
        let mut last: Option<(u16, Vec<u8>)> = None;
        loop {
            let response = last.as_ref().map(|(status, body)| (*status, body.as_slice()));
            match running.next(&self.arranged.kinds, response) {
                command::Step::Done(printed) => {
                    let all = outcome.printed.get_or_insert_default();
                    if !all.is_empty() && !all.ends_with('\n') {
                        all.push('\n');
                    }
                    all.push_str(&printed.text);
                    // To a reader a refusal is a response, like others.
                    if printed.failed && !documented && (is_example || last.is_none()) {
                        return Err(printed.text);
                    }
                    return Ok(());
                }
                command::Step::Send(mut request) => {
                    let named = self.names.fill(&mut request);
                    if helps {
                        for need in needs::of(&request, status.as_ref(), &self.arranged.kinds) {
                            if !is_told_missing(&need, told) {
                                self.arranged.assume(server, &need).await;
                            }
                        }
                    }
                    let mut sent = self.send(server, request).await?;
                    sent.notes.extend(self.arranged.take_made().into_iter().map(Note::Made));
                    sent.notes.extend(named.into_iter().map(Note::Named));
                    last = Some((sent.response.status, sent.body.concat()));
                    outcome.sent.push(sent);
                }
            }
        }
    }

    /// Returns a manifest that a command names: the nearest one before it in the document.
    fn file(&self, number: usize, path: &str) -> Result<String, String> {
        let before = self.blocks.get(..number).unwrap_or_default();
        let role = self.blocks.get(number).map(|block| block.role).unwrap_or_default();
        let before = || before.iter().rev().filter(|block| role.may_read(block.role));
        let is_object = |block: &&Block| block.is_data() && block.content != Content::Text(None);
        // A patch is a part of an object.
        let is_patch = path.contains("patch");
        let found = before().find(|block| if is_patch { block.is_data() } else { is_object(block) });
        found.map(|block| block.text.clone()).ok_or_else(|| words::no_file(path))
    }

    async fn compare_printed(
        &mut self,
        server: &impl Server,
        documented: &Documented,
        outcome: &mut Outcome,
    ) {
        let printed = outcome.printed.clone().unwrap_or_default();
        let told = self.documented(server, Some(documented)).await;
        let came = self
            .documented(server, Some(&Documented { body: printed.clone(), ..Documented::default() }))
            .await;
        if let Some(status) = documented.status
            && let Some(last) = outcome.sent.last_mut()
        {
            let told = Documented {
                status: Some(status),
                headers: documented.headers.clone(),
                ..Documented::default()
            };
            last.documented = true;
            compare::head(&told, &last.response, &mut last.differences);
        }
        match (told.first(), came.first()) {
            (Some(Item::One(pattern @ Pattern::Object(_))), Some(Item::One(came @ Pattern::Object(_)))) => {
                let mut comparison = Comparison::new(&mut self.names);
                comparison.body(&[Item::One(pattern.clone())], &came.to_value());
                outcome.differences.append(&mut comparison.differences);
            }
            _ => compare::printed(&documented.body, &printed, &mut outcome.differences),
        }
    }
}

/// Returns whether an object is documented not to be there.
fn is_told_missing(need: &Need, told: Option<&Documented>) -> bool {
    let (Need::Object(path, _), Some(told)) = (need, told) else { return false };
    let name = path.rsplit('/').next().unwrap_or_default();
    let quoted = ["\"", name, "\" not found"].concat();
    told.body.lines().any(|line| line.replace("\\\"", "\"").contains(&quoted))
}
