//! The parts of a cluster that a manager runs, and in whose name each acts.

use apiserver::ApiServer;

use crate::client::Client;
use crate::controller::Controller;
use crate::events::Source;
use crate::kubelet::{self, Kubelet, Volumes};
use crate::options::{MOST_NODES, Options};
use crate::persistent_volumes::provisioner::{self, Provisioner};
use crate::scheduler::{self, Scheduler};
use crate::selection::Selection;
use crate::table::{BINDER, BINDER_ACCOUNT, NODE_LIFECYCLE};

/// The machine on which parts run that say so.
const HOST: &str = "kubeglass";

/// The purpose of the client of the one controller that acts in the name of kube-controller-manager.
const TOKENS: &str = "tokens-controller";

/// A part: a controller, its client, and the source of its events.
pub(crate) struct Part {
    /// The name, for those who look at it.
    pub(crate) name: String,
    /// The service account of a controller, which is made when everything begins.
    pub(crate) account: Option<&'static str>,
    pub(crate) client: Client,
    pub(crate) source: Source,
    pub(crate) controller: Box<dyn Controller>,
}

/// Makes all parts that are chosen, in the order in which they take turns.
pub(crate) fn parts(
    server: &ApiServer,
    selection: &Selection,
    options: &Options,
    volumes: &Volumes,
) -> Vec<Part> {
    let controllers = selection.descriptors().map(|descriptor| Part {
        name: descriptor.name.to_owned(),
        account: Some(descriptor.account).filter(|account| !account.is_empty()),
        client: match descriptor.account {
            "" => Client::of_manager(server, TOKENS),
            account => Client::of_account(server, account),
        },
        source: Source { component: descriptor.component, host: String::new() },
        controller: (descriptor.make)(options),
    });
    let scheduler = options.has_scheduler().then(|| Part {
        name: "kube-scheduler".to_owned(),
        account: None,
        client: Client::of_scheduler(server),
        source: Source { component: scheduler::NAME, host: HOST.to_owned() },
        controller: Box::new(Scheduler::default()),
    });
    let takes_taint = !selection.names().any(|name| name == NODE_LIFECYCLE);
    let kubelets = (1..=options.nodes.min(MOST_NODES)).map(|number| {
        let kubelet =
            Kubelet::new(number, &options.latencies, takes_taint, (server.service_range(), volumes));
        Part {
            name: [kubelet::COMPONENT, " ", kubelet.name()].concat(),
            account: None,
            client: Client::of_node(server, kubelet.name()),
            source: Source { component: kubelet::COMPONENT, host: kubelet.name().to_owned() },
            controller: Box::new(kubelet),
        }
    });
    // As any driver's, it is no controller of kube-controller-manager; it may do what the one that asks for volumes may.
    let provisioner = selection.names().any(|name| name == BINDER).then(|| Part {
        name: provisioner::NAME.to_owned(),
        account: None,
        client: Client::of_account(server, BINDER_ACCOUNT),
        source: Source { component: provisioner::NAME, host: String::new() },
        controller: Box::new(Provisioner),
    });
    controllers.chain(provisioner).chain(scheduler).chain(kubelets).collect()
}
