//! Preparing a whole document: the scene that is made before its first example.

use apimachinery::Place;
use json_tree::Value;

use super::{Runner, written};
use crate::block::{Block, Content, Role};
use crate::http::Exchange;
use crate::kinds::Kinds;
use crate::message::Request;
use crate::needs::{self, Need};
use crate::pattern::{self, Pattern};
use crate::server::Server;
use crate::{body, examples};

/// The latest revision that a document is taken at its word for: a cluster begins there.
const LATEST: u64 = 1_000_000_000;

impl Runner {
    /// Returns the revision that the cluster has once the scene is there, if the document or its scene tells.
    pub fn revision(&self) -> Option<u64> {
        self.scene.revision.or_else(|| {
            let told = self.exchanges().filter(|exchange| !exchange.target.contains("watch=")).find_map(
                |exchange| {
                    let documented = needs::documented(exchange);
                    let list = pattern::first(&documented)?;
                    list.get("items")?;
                    list.at(&["metadata", "resourceVersion"])?.as_str()?.parse().ok()
                },
            );
            told.filter(|revision| *revision <= LATEST)
        })
    }

    /// Returns the most writes that making the scene takes. A cluster that begins as many revisions before [`Self::revision`] can
    /// be brought there.
    pub fn writes(&self) -> u64 {
        let scene = &self.scene;
        let copies: usize = scene.copies.iter().map(|copies| copies.count).sum();
        let objects = scene.objects.len() * 4 + scene.applied.len() + copies;
        let needs: usize = self
            .first_needs()
            .iter()
            .map(|need| match need {
                Need::Count(_, count) => *count,
                Need::Definition(_) => 8,
                Need::Namespace(_) | Need::Object(..) => 4,
            })
            .sum();
        u64::try_from(objects + needs + 20).unwrap_or(u64::MAX)
    }

    /// Returns the revision of the first write of a cluster that can be brought to [`Self::revision`], if the document or its
    /// scene tells that.
    pub fn first_revision(&self) -> Option<u64> {
        self.revision().map(|revision| revision.saturating_sub(self.writes()).max(1))
    }

    /// Returns the examples before the first solution of a lesson. What the others need is there when the reader has come so
    /// far, or is made when they run.
    fn first_examples(&self) -> impl Iterator<Item = &Block> {
        let before = self.blocks.iter().take_while(|block| block.role != Role::Solution);
        before.filter(|block| block.role == Role::Example)
    }

    fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.first_examples().flat_map(|block| match &block.content {
            Content::Http(exchanges) => exchanges.as_slice(),
            _ => &[],
        })
    }

    /// Returns what all requests of the document need before the first of them, without what earlier ones make.
    fn first_needs(&self) -> Vec<Need> {
        let mut kinds = self.arranged.kinds.clone();
        let (mut first, mut made, mut creates) = (Vec::new(), Vec::<String>::new(), Vec::<String>::new());
        for exchange in self.exchanges() {
            let request = written(exchange);
            for mut need in self.needs(&request, exchange, &kinds) {
                match &mut need {
                    Need::Definition(definition) => kinds.define(definition),
                    Need::Count(path, count) => {
                        let made = creates
                            .iter()
                            .filter(|created| created.ends_with(path.rsplit('/').next().unwrap_or_default()));
                        *count = count.saturating_sub(made.count());
                    }
                    Need::Object(path, _) if made.contains(path) => continue,
                    _ => {}
                }
                first.push(need);
            }
            creates.extend(needs::created_while_open(exchange).map(|_| request.path().to_owned()));
            let stores = ["POST", "PUT", "PATCH"].contains(&&*exchange.method)
                && !exchange.target.contains("dryRun=All");
            if stores && let Some(definition) = body::written_definition(&exchange.body) {
                kinds.define(&definition);
            }
            match &*exchange.method {
                "POST" if stores => {
                    creates.push(request.path().to_owned());
                    made.extend(
                        body::written_name(&exchange.body).map(|name| [request.path(), "/", &name].concat()),
                    );
                }
                "PATCH" | "PUT" => made.push(request.path().to_owned()),
                _ => {}
            }
        }
        first
    }

    pub(super) fn needs(&self, request: &Request, exchange: &Exchange, kinds: &Kinds) -> Vec<Need> {
        let mut needs = needs::of(request, exchange.documented.as_ref(), kinds);
        // The pages of a list may say by comments how many there are.
        for need in &mut needs {
            if let Need::Count(path, count) = need {
                let pages = self.exchanges().filter(|page| {
                    page.target.contains("limit=") && page.target.split('?').next() == Some(&**path)
                });
                *count = needs::total_of_pages(pages).unwrap_or(0).max(*count);
            }
        }
        needs
    }

    /// Makes the scene, and what the examples assume.
    ///
    /// # Errors
    /// Something of the scene is refused, for the reason that the text tells.
    pub async fn begin(&mut self, server: &impl Server) -> Result<(), String> {
        self.arranged.make(server, &self.scene).await?;
        let mut needs = self.first_needs();
        for told in self.printed_objects(server).await {
            let known = needs.iter_mut().find_map(|need| match need {
                Need::Object(path, object) if *path == told.0 => Some(object),
                _ => None,
            });
            match known {
                Some(object) => examples::documented(object, &told.1),
                None => {
                    let Some(mut object) = self.example_at(&told.0) else { continue };
                    examples::documented(&mut object, &told.1);
                    needs.push(Need::Object(told.0, object));
                }
            }
        }
        for need in needs {
            self.arranged.assume(server, &need).await;
        }
        if let Some(revision) = self.revision() {
            self.arranged.reach(server, revision).await?;
        }
        self.arranged.take_made();
        Ok(())
    }

    /// Returns the objects that commands are documented to print, and their paths.
    async fn printed_objects(&self, server: &impl Server) -> Vec<(String, Pattern)> {
        let mut objects = Vec::new();
        for block in self.first_examples() {
            let Content::Shell(_, Some(told)) = &block.content else { continue };
            if told.status.is_some_and(|status| status >= 400) {
                continue;
            }
            let documented = self.documented(server, Some(told)).await;
            let Some(list) = pattern::first(&documented) else { continue };
            let items: Vec<&Pattern> =
                list.get("items").map(|items| items.items().collect()).unwrap_or_default();
            for item in items {
                let value = item.to_value();
                let Some(kind) = self.arranged.kinds.of_object(&value) else { continue };
                let text = |pointer| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
                let path = [&kind.path(text("/metadata/namespace")), "/", text("/metadata/name")].concat();
                objects.push((path, item.clone()));
            }
        }
        objects
    }

    /// Returns an example of the object at a path.
    fn example_at(&self, path: &str) -> Option<Value> {
        let place = Place::of(path)?;
        let kind = self.arranged.kinds.at(&place)?;
        Some(examples::object(kind, place.namespace, place.name))
    }
}
