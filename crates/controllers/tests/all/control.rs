//! Looks at controllers while they work, and has them wait, step, rest and be cut off.

use std::time::Duration;

use crate::cluster::Cluster;
use clock::Clock;
use json_tree::{Value, json};
use protocol::controllers::{Command, Controller, Outcome, Reconcile, State, Switches};

const APPS: &str = "/apis/apps/v1/namespaces/default";
const PODS: &str = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS: &str = "deployment-controller";
const REPLICA_SETS: &str = "replicaset-controller";

fn make(cluster: &Cluster, name: &str, replicas: i64) {
    let template = json!({
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "web", "image": "nginx"}]}
    });
    let selector = json!({"matchLabels": {"app": name}});
    let object = json!({
        "metadata": {"name": name},
        "spec": {"replicas": replicas, "selector": selector, "template": template}
    });
    cluster.send("POST", &format!("{APPS}/deployments"), &object, "application/json");
}

fn count(cluster: &Cluster, path: &str) -> usize {
    cluster.get(path)["items"].as_array().map_or(0, Vec::len)
}

fn owned(cluster: &Cluster) -> (usize, usize) {
    (count(cluster, &format!("{APPS}/replicasets")), count(cluster, PODS))
}

fn command(cluster: &mut Cluster, command: Command) {
    cluster.manager.control().command(command).unwrap();
    cluster.settle();
}

fn switch(cluster: &mut Cluster, name: &str, switches: Switches) {
    command(cluster, Command::Switch { name: name.to_owned(), switches });
}

fn state(cluster: &mut Cluster, after: u64) -> State {
    // Who asks has them tell of themselves, and is told that by the next answer.
    cluster.manager.control().state(after);
    cluster.settle();
    cluster.manager.control().state(after)
}

fn controller<'a>(state: &'a State, name: &str) -> &'a Controller {
    state.controllers.iter().find(|controller| controller.name == name).unwrap()
}

fn settled() -> Cluster {
    let mut cluster = Cluster::new();
    cluster.settle();
    cluster
}

#[test]
fn a_reconcile_says_which_change_led_to_it_and_what_it_wrote() {
    let mut cluster = settled();
    let known = state(&mut cluster, 0).reconciles.last().map_or(0, |reconcile| reconcile.number);
    make(&cluster, "web", 2);
    let made = cluster.get(&format!("{APPS}/deployments/web"));
    cluster.wait(Duration::from_secs(1));
    let state = state(&mut cluster, known);
    assert!(
        state
            .reconciles
            .iter()
            .map(|reconcile| reconcile.number)
            .eq(known + 1..known + 1 + state.reconciles.len() as u64)
    );
    // Deployment, ReplicaSet, Pods: each was made because of the one before.
    let revision = |object: &Value| object.text_at("/metadata/resourceVersion").parse::<u64>().unwrap();
    let wrote = |revision: u64| state.reconciles.iter().find(|one| one.wrote.contains(&revision)).unwrap();
    let pods = cluster.get(PODS);
    let pod = wrote(revision(&pods["items"][0]));
    assert_eq!((pod.controller.as_str(), pod.wrote.len() >= 2), (REPLICA_SETS, true));
    let set = wrote(pod.because.unwrap());
    assert_eq!((set.controller.as_str(), set.key.as_str()), (DEPLOYMENTS, "default/web"));
    assert_eq!(set.because, Some(revision(&made)));
    // It has written its annotation before, which it had not heard of: a conflict, and it tries again.
    assert!(
        matches!(&set.outcome, Outcome::Failed { why, .. } if why.contains("the object has been modified"))
    );
    assert_eq!(set.refused.iter().map(|(_, code)| *code).collect::<Vec<_>>(), [409]);
    let controller = controller(&state, DEPLOYMENTS);
    assert_eq!(controller.user, "system:serviceaccount:kube-system:deployment-controller");
    // The deadline of its progress is due in ten minutes.
    assert_eq!((controller.queued, controller.failures), (1, 1));
    assert!(controller.waiting[0].due > cluster.clock.now() + Duration::from_secs(590));
    assert!(controller.reconciles > 1);
}

#[test]
fn who_waits_hears_and_queues_and_does_steps() {
    let mut cluster = settled();
    command(&mut cluster, Command::Pause(true));
    make(&cluster, "web", 3);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(owned(&cluster), (0, 0));
    let paused = state(&mut cluster, 0);
    let waiting = &controller(&paused, DEPLOYMENTS).waiting;
    assert!(
        paused.choice.as_ref().unwrap().paused
            && waiting.len() == 1
            && waiting[0].key == "default/web"
            && waiting[0].due.is_zero()
    );
    assert_eq!(cluster.manager.next_due(), None);
    command(&mut cluster, Command::Step(Some(REPLICA_SETS.to_owned())));
    assert_eq!(owned(&cluster), (0, 0));
    command(&mut cluster, Command::Step(Some(DEPLOYMENTS.to_owned())));
    assert_eq!(owned(&cluster), (1, 0));
    command(&mut cluster, Command::Step(Some(REPLICA_SETS.to_owned())));
    assert_eq!(owned(&cluster), (1, 3));
    make(&cluster, "other", 1);
    command(&mut cluster, Command::UntilQuiet);
    assert_eq!(owned(&cluster), (2, 4));
    make(&cluster, "third", 1);
    cluster.settle();
    assert_eq!(owned(&cluster), (2, 4));
    command(&mut cluster, Command::Pause(false));
    assert_eq!(owned(&cluster), (3, 5));
}

#[test]
fn one_controller_waits_and_the_others_work() {
    let mut cluster = settled();
    switch(&mut cluster, REPLICA_SETS, Switches { paused: true, ..Switches::default() });
    make(&cluster, "web", 3);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(owned(&cluster), (1, 0));
    switch(&mut cluster, REPLICA_SETS, Switches::default());
    assert_eq!(owned(&cluster), (1, 3));
}

#[test]
fn who_is_cut_off_hears_of_nothing_and_catches_up() {
    let mut cluster = settled();
    make(&cluster, "web", 1);
    cluster.settle();
    let cut_off = Switches { cut_off: true, ..Switches::default() };
    switch(&mut cluster, REPLICA_SETS, cut_off);
    cluster.send("DELETE", &format!("{PODS}?labelSelector=app=web"), &Value::Null, "application/json");
    make(&cluster, "other", 2);
    cluster.wait(Duration::from_secs(60));
    assert_eq!(owned(&cluster), (2, 0));
    assert_eq!(controller(&state(&mut cluster, 0), REPLICA_SETS).queued, 0);
    switch(&mut cluster, REPLICA_SETS, Switches::default());
    assert_eq!(owned(&cluster), (2, 3));
}

#[test]
fn who_was_cut_off_hears_of_each_object_once_as_it_is() {
    let mut cluster = settled();
    make(&cluster, "web", 1);
    cluster.settle();
    let cut_off = Switches { cut_off: true, ..Switches::default() };
    switch(&mut cluster, REPLICA_SETS, cut_off);
    // Another object of the same name, one that came and went, and one that changes again and again.
    let deployment = format!("{APPS}/deployments/web");
    let options = json!({"propagationPolicy": "Background"});
    cluster.send("DELETE", &deployment, &options, "application/json");
    cluster.wait(Duration::from_secs(1));
    make(&cluster, "web", 3);
    make(&cluster, "gone", 2);
    cluster.settle();
    cluster.send("DELETE", &format!("{APPS}/deployments/gone"), &options, "application/json");
    cluster.wait(Duration::from_secs(1));
    for replicas in 4..8 {
        let patch = json!({"spec": {"replicas": replicas}});
        cluster.send("PATCH", &deployment, &patch, "application/merge-patch+json");
        cluster.settle();
    }
    assert_eq!(owned(&cluster), (1, 0));
    let told = state(&mut cluster, 0);
    let before = controller(&told, REPLICA_SETS).reconciles;
    switch(&mut cluster, REPLICA_SETS, Switches::default());
    cluster.wait(Duration::from_secs(1));
    assert_eq!(owned(&cluster), (1, 7));
    assert!(controller(&state(&mut cluster, 0), REPLICA_SETS).reconciles > before);
}

#[test]
fn a_step_is_for_who_is_paused_too() {
    let mut cluster = settled();
    switch(&mut cluster, DEPLOYMENTS, Switches { paused: true, ..Switches::default() });
    command(&mut cluster, Command::Pause(true));
    make(&cluster, "web", 1);
    cluster.settle();
    command(&mut cluster, Command::Step(None));
    assert_eq!(owned(&cluster), (0, 0));
    command(&mut cluster, Command::Step(Some(DEPLOYMENTS.to_owned())));
    assert_eq!(owned(&cluster), (1, 0));
}

#[test]
fn requests_of_who_is_cut_off_fail_and_are_tried_again() {
    let mut cluster = settled();
    command(&mut cluster, Command::Pause(true));
    make(&cluster, "web", 1);
    cluster.settle();
    switch(&mut cluster, DEPLOYMENTS, Switches { cut_off: true, ..Switches::default() });
    command(&mut cluster, Command::Step(Some(DEPLOYMENTS.to_owned())));
    let told = state(&mut cluster, 0);
    let failed = |one: &&Reconcile| matches!(&one.outcome, Outcome::Failed { why, .. } if why.contains("cannot be reached"));
    assert_eq!(told.reconciles.iter().filter(failed).count(), 1);
    let waiting = &controller(&told, DEPLOYMENTS).waiting[0];
    assert_eq!((waiting.failures, waiting.due.is_zero(), owned(&cluster)), (1, false, (0, 0)));
    switch(&mut cluster, DEPLOYMENTS, Switches::default());
    command(&mut cluster, Command::Pause(false));
    cluster.wait(Duration::from_secs(1));
    assert_eq!(owned(&cluster), (1, 1));
}

#[test]
fn who_is_slow_rests_between_reconciles() {
    let mut cluster = settled();
    let pause = Duration::from_secs(10);
    switch(&mut cluster, DEPLOYMENTS, Switches { pause, ..Switches::default() });
    for name in ["a", "b", "c"] {
        make(&cluster, name, 0);
    }
    cluster.settle();
    assert_eq!(owned(&cluster).0, 1);
    cluster.wait(pause / 2);
    assert_eq!(owned(&cluster).0, 1);
    cluster.wait(pause);
    assert_eq!(owned(&cluster).0, 2);
    switch(&mut cluster, DEPLOYMENTS, Switches::default());
    cluster.wait(Duration::from_secs(1));
    assert_eq!(owned(&cluster).0, 3);
}

#[test]
fn mistakes_are_told_and_change_nothing() {
    let mut cluster = settled();
    let control = cluster.manager.control().clone();
    let unknown = || "resourceclaim-controller".to_owned();
    for command in
        [Command::Step(Some(unknown())), Command::Switch { name: unknown(), switches: Switches::default() }]
    {
        let error = control.command(command).unwrap_err();
        assert_eq!(error, "there is no controller \"resourceclaim-controller\" at work");
    }
    assert!(control.command(Command::Stop).is_err());
    make(&cluster, "web", 1);
    cluster.settle();
    assert_eq!(owned(&cluster), (1, 1));
    // Where nobody works any more, the question is answered all the same.
    drop(cluster);
    assert_eq!(control.state(u64::MAX), State::default());
    assert_eq!(control.command(Command::Pause(true)), Err("no controllers are at work".to_owned()));
}
