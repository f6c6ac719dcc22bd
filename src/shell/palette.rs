//! Finding any resource, object, preset or command by a few of its letters.

use apimachinery::target;
use leptos::html;
use leptos::prelude::*;

use crate::cluster::host::Host;
use crate::cluster::{Request, Which, catalog};
use crate::model::messages::{change, policy};
use crate::model::panes::Pane;
use crate::model::request::presets::PRESETS;
use crate::shell::help::opens_with;
use crate::state::{Dialog, Page};
use crate::tour;
use crate::ui::combobox::{Combobox, Offer};
use crate::ui::memo::Memo;
use crate::ui::messages::tour as words;
use crate::ui::messages::{self, kept, learn, others};
use crate::ui::part::{IntoPart, act, flag};
use crate::ui::{dom, search};

/// How many are offered at once.
const MOST: usize = 14;

/// The effect of a command.
#[derive(Clone)]
enum Action {
    Preset(usize),
    Send(Request),
    /// To ask for what is at a path, or to look at it in the Cluster view.
    Look(String),
    Go(Pane),
    Theme,
    Help,
    ThisCluster,
    Write,
    Record,
    Tour,
    Try,
    TryPolicy,
    Cluster(Which),
    Compact,
}

/// A command: what it is called, what it is, and what it does.
struct Command {
    name: String,
    about: &'static str,
    action: Action,
}

fn commands(page: Page) -> Vec<Command> {
    let mut commands: Vec<Command> = Vec::new();
    let mut add = |name: String, about, action| commands.push(Command { name, about, action });
    for (at, preset) in PRESETS.iter().enumerate() {
        add(preset.title.to_owned(), preset.about, Action::Preset(at));
    }
    add(change::TRY.to_owned(), change::TRY_KEYS, Action::Try);
    if page.writes_policy() {
        add(policy::TRY.to_owned(), policy::TRY_ABOUT, Action::TryPolicy);
    }
    add(words::TAKE.to_owned(), messages::WHAT, Action::Tour);
    let namespace = page.namespace.get();
    let mut names: Vec<&str> = Vec::new();
    let custom = page.custom_rows();
    let listed = || catalog::with(&custom);
    for resource in listed() {
        let path = catalog::path(resource, &namespace);
        // A name that occurs again is told apart by its version.
        let again = names.contains(&resource.name.as_str());
        names.push(&resource.name);
        let name = if again {
            format!("{} ({})", resource.name, resource.api_version())
        } else {
            resource.name.clone()
        };
        add(messages::list_resource(&name), "", Action::Look(path.clone()));
        if resource.allows("watch") {
            let changes = [("watch", Some("true")), ("allowWatchBookmarks", Some("true"))];
            let watch = target::with(&path, &changes);
            add(messages::watch_resource(&name), "", Action::Send(Request::get(&watch)));
        }
    }
    page.objects(|objects| {
        for object in objects {
            let of = listed().find(|known| known.group == object.group && known.name == object.resource);
            if let Some(resource) = of {
                let path = format!("{}/{}", catalog::path(resource, &object.namespace), object.name);
                add(glass::label(object), "", Action::Look(path));
            }
        }
    });
    for pane in Pane::ALL {
        add(pane.name().to_owned(), messages::PANES, Action::Go(pane));
    }
    add(messages::THEME_LIGHT.to_owned(), page.theme.get().next().name(), Action::Theme);
    add(messages::HELP_OPEN.to_owned(), "", Action::Help);
    add(kept::OPEN.to_owned(), "", Action::ThisCluster);
    if page.host.with_value(|host| *host == Host::Tab) {
        add(learn::WRITE.to_owned(), learn::WRITE_ABOUT, Action::Write);
        match page.recorded_requests() {
            None => add(learn::RECORD_LESSON.to_owned(), "", Action::Record),
            Some(requests) => add(learn::stop_lesson(requests), "", Action::Record),
        }
    }
    let (head, _) = page.revisions();
    if page.cluster.get() == Which::ThisTab {
        add(messages::compact_to(head), "", Action::Compact);
    }
    let own = page.host.with_value(|host| match host {
        Host::Tab => others::THIS_TAB.to_owned(),
        Host::Tabs => others::ALL_TABS.to_owned(),
        Host::Server(address) => address.clone(),
    });
    for (which, name) in [(Which::ThisTab, own.as_str()), (Which::Remote, others::PROXY)] {
        add(format!("{}: {name}", messages::CLUSTER), "", Action::Cluster(which));
    }
    commands
}

fn carry_out(page: Page, action: Action) {
    match action {
        Action::Preset(at) => page.play(&PRESETS[at]),
        Action::Send(request) => page.fill_and_send(&request),
        Action::Look(path) => page.look_at(&path),
        Action::Go(pane) => {
            page.pane.set(pane);
            dom::focus_soon(pane.id());
        }
        Action::Theme => page.theme.update(|theme| *theme = theme.next()),
        Action::Help => page.dialog.set(Some(Dialog::Help)),
        Action::Record => page.record_lesson(),
        Action::Write => page.dialog.set(Some(Dialog::Draft)),
        Action::ThisCluster => page.dialog.set(Some(Dialog::Cluster)),
        Action::Tour => tour::begin(page),
        Action::Try => page.try_it(),
        Action::TryPolicy => page.try_policy(),
        Action::Cluster(which) => page.cluster.set(which),
        Action::Compact => page.compact(page.revisions().0),
    }
}

/// The dialog.
#[component]
pub(crate) fn Palette() -> impl IntoView {
    let page = expect_context::<Page>();
    let dialog = NodeRef::<html::Dialog>::new();
    opens_with(dialog, page, Dialog::Palette);
    let typed = RwSignal::new(String::new());
    let offers = Memo::new(move |_| {
        if page.dialog.get() != Some(Dialog::Palette) {
            return Vec::new();
        }
        let typed = typed.get();
        let found: Vec<(usize, Offer)> = commands(page)
            .into_iter()
            .filter_map(|command| {
                let offer = Offer { value: command.name, about: command.about.to_owned() };
                Some((search::score(&offer.value, &typed)?, offer))
            })
            .collect();
        let sorted = !typed.trim().is_empty();
        let order = search::order(found.iter().map(|(score, _)| if sorted { *score as u64 } else { 0 }));
        order.into_iter().take(MOST).map(|at| found[at].1.clone()).collect()
    });
    let close = move || {
        page.dialog.set(None);
        typed.set(String::new());
    };
    let pick = move |name: String| {
        let found = untrack(|| commands(page)).into_iter().find(|command| command.name == name);
        close();
        if let Some(command) = found {
            carry_out(page, command.action);
        }
    };
    view! {
        <dialog
            node_ref=dialog
            class="palette"
            aria-label=messages::PALETTE_TITLE
            on:close=act(move |_| {
                if page.dialog.get_untracked() == Some(Dialog::Palette) {
                    close();
                }
            })
        >
            <Combobox
                id="palette"
                label=messages::PALETTE_OPEN
                placeholder=messages::PALETTE_OPEN
                value=typed
                offers=offers
                always=true
                on_pick=Callback::new(pick)
                on_enter=Callback::new(move |()| {
                    if let Some(first) = offers.with_untracked(|offers| offers.first().cloned()) {
                        pick(first.value);
                    }
                })
                on_leave=Callback::new(|()| {})
            />
            <p class="quiet" hidden=flag(move || offers.with(|offers| !offers.is_empty()))>
                {messages::PALETTE_NONE}
            </p>
        </dialog>
    }
    .part()
}
