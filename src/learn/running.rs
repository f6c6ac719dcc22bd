//! Running a document: what of the Learn view is loaded once there is something to read.

use std::collections::HashMap;
use std::rc::Rc;

use document::block::Content;
use document::{Runner, Scene};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::host::Host;
use super::outcome;
use super::reader::{Ran, Reader, Stands};
use crate::state::Page;
use crate::ui::messages::learn as words;
use crate::ui::part::Part;

/// The functions that run a document.
#[derive(Clone, Copy)]
pub(crate) struct Running {
    /// Starts an engine with a cluster of the document's own, and makes in it what the examples assume.
    pub(crate) begin: fn(Reader),
    /// Runs blocks, one after the other.
    pub(crate) run: fn(Reader, Vec<usize>),
    /// Shows what came of a block.
    pub(crate) show: fn(Page, &Ran) -> Part,
}

impl Running {
    /// All of them.
    pub(crate) const HERE: Self = Self { begin, run, show: outcome::show };
}

fn begin(reader: Reader) {
    let page = reader.page;
    let document = reader.document.get_value();
    let scene = match Scene::in_front_matter(&document.front_matter) {
        Ok(scene) => scene.unwrap_or_default(),
        Err(why) => {
            reader.failed.set(Some(words::no_scene(&why)));
            Scene::default()
        }
    };
    let mut runner = Runner::new(document.blocks.clone(), scene);
    let blocks = runner.blocks().iter().zip(&document.blocks).enumerate();
    let refused = blocks.filter(|(_, (now, before))| before.runs() && !now.runs());
    let why = |content: &Content| match content {
        Content::Text(Some(why)) => why.to_string(),
        _ => String::new(),
    };
    let refused: HashMap<usize, String> =
        refused.map(|(number, (now, _))| (number, why(&now.content))).collect();
    reader.refused.set(refused);
    page.begin_for_document(runner.first_revision());
    let turn = reader.turn.get_value();
    spawn_local(async move {
        let made = runner.begin(&host(reader)).await;
        if !goes_on(reader, turn) {
            return;
        }
        reader.stands.set(Stands::Quiet);
        match made {
            Ok(()) => {
                reader.runner.set_value(Some(Box::new(runner)));
                run(reader, reader.wanted.try_update_value(std::mem::take).unwrap_or_default());
            }
            Err(why) => reader.failed.set(Some(why)),
        }
    });
}

fn host(reader: Reader) -> Host {
    Host { page: reader.page, exchanges: reader.exchanges }
}

/// Returns whether the cluster is still the one that was begun at a turn.
fn goes_on(reader: Reader, turn: u64) -> bool {
    reader.turn.try_get_value() == Some(turn)
}

fn run(reader: Reader, blocks: Vec<usize>) {
    let Some(first) = blocks.first().copied() else { return };
    let runner = reader.runner.try_update_value(Option::take).flatten();
    let Some(Ok(mut runner)) = runner.map(|runner| runner.downcast::<Runner>()) else { return };
    reader.stands.set(Stands::Running(first));
    let turn = reader.turn.get_value();
    spawn_local(async move {
        let host = host(reader);
        for number in blocks {
            reader.stands.set(Stands::Running(number));
            reader.exchanges.set(Vec::new());
            let outcome = Rc::new(runner.run(&host, number).await);
            if !goes_on(reader, turn) {
                return;
            }
            let same = outcome.is_as_documented();
            reader.page.say(&words::ran(same));
            let ran = Ran { outcome, exchanges: reader.exchanges.get_untracked(), same };
            reader.ran.update(|all| {
                all.insert(number, ran);
            });
        }
        reader.runner.set_value(Some(runner));
        reader.stands.set(Stands::Quiet);
    });
}
