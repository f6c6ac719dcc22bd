//! Tests of the nodes that the scheduler finds, in its words.

use std::sync::Arc;

use json_tree::{Value, json};

use super::*;

/// Merges fields into an object.
fn with(mut object: Value, fields: Value) -> Value {
    match (&mut object, fields) {
        (Value::Object(own), Value::Object(fields)) => {
            for (key, value) in fields.iter() {
                let merged = with(own.get(key).cloned().unwrap_or_default(), value.clone());
                own.insert(key.clone(), merged);
            }
            object
        }
        (_, fields) => fields,
    }
}

/// Makes a node of 4 CPUs in a zone, with fields that differ.
fn node(name: &str, zone: &str, fields: Value) -> Value {
    let labels = json!({"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": zone});
    let allocatable = json!({"cpu": "4", "memory": "8Gi", "pods": "110"});
    let node = json!({"metadata": {"name": name, "labels": labels}, "status": {"allocatable": allocatable}});
    with(node, fields)
}

/// Makes a pod that requests CPUs, with fields that differ.
fn pod(name: &str, cpu: &str, fields: Value) -> Value {
    let container = json!({"name": "c", "resources": {"requests": {"cpu": cpu}}});
    let pod = json!({
        "metadata": {"name": name, "namespace": "default", "uid": name, "labels": {"app": name}},
        "spec": {"containers": [container]}
    });
    with(pod, fields)
}

fn on(node: &str, pod: Value) -> Value {
    with(pod, json!({"spec": {"nodeName": node}}))
}

fn three() -> Vec<Value> {
    vec![node("a", "x", json!({})), node("b", "y", json!({})), node("c", "y", json!({}))]
}

/// Finds a node for a pod: its name; or a sentence, and behind an arrow the node and the pods that have to leave it.
fn find(nodes: &[Value], pods: &[Value], pod: &Value, stores: &Stores) -> String {
    let mut scheduler = Scheduler::default();
    nodes.iter().for_each(|node| scheduler.cache.put_node(&Arc::new(node.clone())));
    for pod in pods {
        let shared = Arc::new(pod.clone());
        match pod.text_at("/status/nominatedNodeName") {
            "" => {
                scheduler.cache.put_pod(&shared, pod.text_at("/spec/nodeName"));
            }
            node => scheduler.cache.nominate(&shared, node),
        }
    }
    match scheduler.find(&PodInfo::new(&Arc::new(pod.clone())), stores) {
        Found::Node(name) => name,
        Found::Nothing(text, Nomination::On(candidate)) => {
            let victims: Vec<_> = candidate.victims.iter().map(|victim| object::name(&victim.pod)).collect();
            format!("{text} -> {}: {}", candidate.node, victims.join(", "))
        }
        Found::Nothing(text, _) => text,
    }
}

#[track_caller]
fn check(nodes: &[Value], pods: &[Value], pod: &Value, expected: &str) {
    let mut stores = Stores::default();
    let namespace = json!({"metadata": {"name": "default", "labels": {"team": "one"}}});
    stores.of_mut(&NAMESPACES).put(Arc::new(namespace));
    assert_eq!(find(nodes, pods, pod, &stores), expected);
}

/// Makes pods that take half of the nodes `b` and `c`, so that `a` is the best where nothing else counts.
fn halves() -> [Value; 2] {
    ["b", "c"].map(|node| on(node, pod(&["half-", node].concat(), "2", json!({}))))
}

/// Returns the sentence for a pod that fits nowhere, and whose place nobody can make.
fn nowhere(nodes: usize, reasons: &str, victims: &str) -> String {
    format!(
        "0/{nodes} nodes are available: {reasons}. no new claims to deallocate, preemption: 0/{nodes} nodes are available: {victims}."
    )
}

const ZONE: &str = "topology.kubernetes.io/zone";

const UNHELPFUL: &str = "3 Preemption is not helpful for scheduling";

#[test]
fn without_nodes_there_is_no_place() {
    check(&[], &[], &pod("p", "1", json!({})), "no nodes available to schedule pods");
}

#[test]
fn nodes_have_room_or_not() {
    let full = |node: &str| on(node, pod(node, "3500m", json!({})));
    let some = [full("a"), full("c")];
    check(&three(), &some, &pod("p", "1", json!({})), "b");
    let all = [full("a"), full("b"), full("c")];
    let expected = nowhere(3, "3 Insufficient cpu", "3 No preemption victims found for incoming pod");
    check(&three(), &all, &pod("p", "1", json!({})), &expected);
    check(&three(), &all, &pod("p", "500m", json!({})), "a");
    let expected = nowhere(3, "3 Insufficient cpu, 3 Insufficient example.com/gpu", UNHELPFUL);
    let device = json!({"requests": {"cpu": "5", "example.com/gpu": "1"}});
    let large = with(pod("p", "1", json!({})), json!({"spec": {"containers": [{"resources": device}]}}));
    check(&three(), &[], &large, &expected);
    let small = json!({"status": {"allocatable": {"pods": "1"}}});
    let nodes = [node("a", "x", small)];
    let expected = nowhere(1, "1 Too many pods", "1 No preemption victims found for incoming pod");
    check(&nodes, &[full("a")], &pod("p", "0", json!({})), &expected);
}

#[test]
fn taints_are_tolerated_or_not() {
    let tainted = |effect: &str| json!({"spec": {"taints": [{"key": "k", "value": "v", "effect": effect}]}});
    let nodes = [
        node("a", "x", tainted("NoSchedule")),
        node("b", "y", json!({"spec": {"unschedulable": true}})),
        node("c", "y", tainted("NoExecute")),
    ];
    let expected = nowhere(3, "1 node(s) were unschedulable, 2 node(s) had untolerated taint(s)", UNHELPFUL);
    check(&nodes, &[], &pod("p", "1", json!({})), &expected);
    let tolerating = |toleration: Value| pod("p", "1", json!({"spec": {"tolerations": [toleration]}}));
    let one = json!({"key": "k", "value": "v", "effect": "NoExecute"});
    check(&nodes, &[], &tolerating(one), "c");
    check(&nodes, &[], &tolerating(json!({"operator": "Exists"})), "a");
    let other = json!({"key": "k", "value": "w"});
    check(&nodes, &[], &tolerating(other), &expected);
    let nodes = [node("a", "x", tainted("PreferNoSchedule")), node("b", "x", json!({}))];
    check(&nodes, &[], &pod("p", "1", json!({})), "b");
}

#[test]
fn nodes_are_selected_by_their_labels() {
    let mut nodes = three();
    nodes[1] = node("b", "y", json!({"metadata": {"labels": {"disk": "7"}}}));
    let selecting = |spec: Value| pod("p", "1", json!({"spec": spec}));
    let required = |term: Value| {
        let terms = json!({"nodeSelectorTerms": [term]});
        selecting(
            json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}),
        )
    };
    let expected = nowhere(3, "3 node(s) didn't match Pod's node affinity/selector", UNHELPFUL);
    check(&nodes, &[], &selecting(json!({"nodeSelector": {"disk": "7"}})), "b");
    check(&nodes, &[], &selecting(json!({"nodeSelector": {"disk": "8"}})), &expected);
    let expression = |operator: &str, values: Value| {
        required(json!({"matchExpressions": [{"key": "disk", "operator": operator, "values": values}]}))
    };
    check(&nodes, &[], &expression("Gt", json!(["6"])), "b");
    check(&nodes, &[], &expression("Lt", json!(["7"])), &expected);
    check(&nodes, &[], &expression("NotIn", json!(["7"])), "a");
    check(&nodes, &[], &expression("Exists", json!([])), "b");
    let name = json!({"key": "metadata.name", "operator": "In", "values": ["c"]});
    check(&nodes, &[], &required(json!({"matchFields": [name.clone()]})), "c");
    let full = on("c", pod("q", "4", json!({})));
    let words = nowhere(
        3,
        "1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]",
        "1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling",
    );
    check(&nodes, &[full], &required(json!({"matchFields": [name.clone()]})), &words);
    let other = json!({"key": "metadata.name", "operator": "In", "values": ["a", "b"]});
    let words = nowhere(3, "pod affinity terms conflict", UNHELPFUL);
    check(&nodes, &[], &required(json!({"matchFields": [name, other]})), &words);
    check(&nodes, &[], &required(json!({})), &expected);
    let preference =
        json!({"weight": 1, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}});
    let preferred = json!({"preferredDuringSchedulingIgnoredDuringExecution": [preference]});
    check(&nodes, &[], &selecting(json!({"affinity": {"nodeAffinity": preferred}})), "b");
}

#[test]
fn ports_of_nodes_are_taken_once() {
    let listening = |name: &str, ip: &str| {
        let port = json!({"containerPort": 80, "hostPort": 80, "hostIP": ip});
        pod(name, "1", json!({"spec": {"containers": [{"ports": [port]}]}}))
    };
    let nodes = [node("a", "x", json!({}))];
    let expected = nowhere(
        1,
        "1 node(s) didn't have free ports for the requested pod ports",
        "1 No preemption victims found for incoming pod",
    );
    check(&nodes, &[on("a", listening("q", "10.0.0.1"))], &listening("p", "0.0.0.0"), &expected);
    check(&nodes, &[on("a", listening("q", "10.0.0.1"))], &listening("p", "10.0.0.2"), "a");
}

/// Makes the affinity of a pod to those of an app.
fn affinity(field: &str, app: &str, key: &str) -> Value {
    let term = json!({"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key});
    json!({"spec": {"affinity": {field: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}})
}

#[test]
fn pods_attract_and_repel_each_other() {
    let web = |node: &str| on(node, pod("web", "1", json!({})));
    let near = pod("p", "1", affinity("podAffinity", "web", ZONE));
    check(&three(), &[web("b")], &near, "c");
    let expected = nowhere(3, "3 node(s) didn't match pod affinity rules", UNHELPFUL);
    check(&three(), &[], &near, &expected);
    check(&three(), &[], &pod("web", "1", affinity("podAffinity", "web", ZONE)), "a");
    let far = pod("p", "1", affinity("podAntiAffinity", "web", ZONE));
    let [first, second] = halves();
    check(&three(), &[web("a"), first.clone(), second.clone()], &far, "b");
    let expected = nowhere(
        1,
        "1 node(s) didn't match pod anti-affinity rules",
        "1 No preemption victims found for incoming pod",
    );
    check(&three()[..1], &[web("a")], &far, &expected);
    let alone = on("a", pod("q", "1", affinity("podAntiAffinity", "p", ZONE)));
    let expected = nowhere(
        1,
        "1 node(s) didn't satisfy existing pods anti-affinity rules",
        "1 No preemption victims found for incoming pod",
    );
    check(&three()[..1], std::slice::from_ref(&alone), &pod("p", "1", json!({})), &expected);
    let elsewhere = |team: &str| {
        let mut pod = pod("p", "1", affinity("podAntiAffinity", "web", ZONE));
        let terms = "/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0";
        let selector = json!({"namespaceSelector": {"matchLabels": {"team": team}}});
        let term = with(pod.pointer(terms).cloned().unwrap(), selector);
        *pod.pointer_mut(terms).unwrap() = term;
        pod
    };
    check(&three(), &[web("a"), first, second], &elsewhere("one"), "b");
    check(&three()[..1], &[web("a")], &elsewhere("two"), "a");
}

#[test]
fn pods_are_rather_near_some_and_far_from_others() {
    let rather = |field: &str| {
        let term = json!({"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": ZONE});
        let terms = json!([{"weight": 1, "podAffinityTerm": term}]);
        let affinity = json!({field: {"preferredDuringSchedulingIgnoredDuringExecution": terms}});
        json!({"spec": {"affinity": affinity}})
    };
    let web = |node: &str, fields: Value| on(node, pod("web", "1", fields));
    check(&three(), &[web("b", json!({}))], &pod("p", "1", rather("podAffinity")), "c");
    let [first, second] = halves();
    let some = [web("a", json!({})), first, second];
    check(&three(), &some, &pod("p", "1", rather("podAntiAffinity")), "b");
    // Those that are there count, too, with terms that they had to meet.
    let fond = web("b", affinity("podAffinity", "p", ZONE));
    check(&three(), &[fond], &pod("p", "1", json!({})), "c");
}

#[test]
fn constraints_spread_pods() {
    let spread = |fields: Value| {
        let constraint = json!({
            "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}}
        });
        pod("web", "100m", json!({"spec": {"topologySpreadConstraints": [with(constraint, fields)]}}))
    };
    let web =
        |name: &str, node: &str| on(node, pod(name, "100m", json!({"metadata": {"labels": {"app": "web"}}})));
    let [first, second] = halves();
    let some = [web("1", "a"), first, second];
    check(&three(), &some, &spread(json!({})), "b");
    check(&three(), &some, &spread(json!({"labelSelector": {"matchLabels": null}})), "a");
    let pods = [web("1", "a")];
    let nodes = [node("a", "x", json!({})), node("b", "y", json!({"spec": {"unschedulable": true}}))];
    let expected = nowhere(
        2,
        "1 node(s) didn't match pod topology spread constraints, 1 node(s) were unschedulable",
        "1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling",
    );
    check(&nodes, &pods, &spread(json!({})), &expected);
    let tainted = json!({"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}});
    let nodes = [node("a", "x", json!({})), node("b", "y", tainted)];
    check(&nodes, &pods, &spread(json!({"nodeTaintsPolicy": "Honor"})), "a");
    let expected = nowhere(
        1,
        "1 node(s) didn't match pod topology spread constraints",
        "1 No preemption victims found for incoming pod",
    );
    check(&nodes[..1], &pods, &spread(json!({"minDomains": 2})), &expected);
    let expected = nowhere(
        3,
        "3 node(s) didn't match pod topology spread constraints (missing required label)",
        UNHELPFUL,
    );
    check(&three(), &[], &spread(json!({"topologyKey": "rack"})), &expected);
    check(&three(), &some, &spread(json!({"whenUnsatisfiable": "ScheduleAnyway"})), "b");
}

#[test]
fn pods_of_one_owner_are_spread() {
    let mut stores = Stores::default();
    let set = json!({
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}}
    });
    stores.of_mut(&REPLICA_SETS).put(Arc::new(set));
    let owned = |name: &str| {
        let owner = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "controller": true});
        pod(name, "100m", json!({"metadata": {"labels": {"app": "web"}, "ownerReferences": [owner]}}))
    };
    // More of b and c is free.
    let other = on("c", pod("other", "300m", json!({})));
    let pods = [on("b", owned("1")), other];
    assert_eq!(find(&three()[1..], &pods, &owned("2"), &stores), "c");
    assert_eq!(find(&three()[1..], &pods, &pod("p", "100m", json!({})), &stores), "b");
}

#[test]
fn the_emptiest_node_is_taken_and_of_several_the_first() {
    check(&three(), &[], &pod("p", "1", json!({})), "a");
    let pods = [on("a", pod("1", "1", json!({}))), on("b", pod("2", "500m", json!({})))];
    check(&three(), &pods, &pod("p", "1", json!({})), "c");
    check(&three()[..2], &pods, &pod("p", "1", json!({})), "b");
    // The requests of CPUs and of memory on a are even, and would not be; those on b would be less uneven, though more so than on a.
    let requesting = |cpu: &str, memory: &str| json!({"spec": {"containers": [{"resources": {"requests": {"cpu": cpu, "memory": memory}}}]}});
    let pods =
        [on("a", pod("1", "", requesting("1", "2Gi"))), on("b", pod("2", "", requesting("0", "4340Mi")))];
    check(&three()[..2], &pods, &pod("p", "1", json!({})), "b");
}

#[test]
fn amounts_may_be_large() {
    let large = json!({"status": {"allocatable": {"cpu": "8E", "memory": "8E"}}});
    let nodes = [node("a", "x", json!({})), node("b", "y", large)];
    check(&nodes, &[on("b", pod("q", "1P", json!({})))], &pod("p", "1", json!({})), "b");
}

fn important(pod: Value, priority: i64) -> Value {
    with(pod, json!({"spec": {"priority": priority}}))
}

#[test]
fn less_important_pods_make_room() {
    let filler = |name: &str, node: &str, cpu: &str, priority| {
        on(node, important(pod(name, cpu, json!({})), priority))
    };
    let pods = [
        filler("a1", "a", "4", 5),
        filler("b1", "b", "2", 1),
        filler("b2", "b", "2", 1),
        filler("c1", "c", "4", 1),
    ];
    let sentence = "0/3 nodes are available: 3 Insufficient cpu.";
    let wanted = |cpu: &str, priority| important(pod("p", cpu, json!({})), priority);
    check(&three(), &pods, &wanted("4", 10), &format!("{sentence} -> c: c1"));
    check(&three(), &pods[..3], &wanted("4", 10), "c");
    check(
        &three()[..2],
        &pods[..3],
        &wanted("1", 10),
        "0/2 nodes are available: 2 Insufficient cpu. -> b: b2",
    );
    check(
        &three()[..1],
        &pods[..1],
        &wanted("1", 6),
        "0/1 nodes are available: 1 Insufficient cpu. -> a: a1",
    );
    let expected = nowhere(1, "1 Insufficient cpu", "1 No preemption victims found for incoming pod");
    check(&three()[..1], &pods[..1], &wanted("1", 5), &expected);
    let kept = filler("a0", "a", "1", 20);
    let half = filler("a1", "a", "3", 5);
    let expected = nowhere(1, "1 Insufficient cpu", "1 Insufficient cpu");
    check(&three()[..1], &[kept, half], &wanted("4", 10), &expected);
    let never = with(wanted("4", 10), json!({"spec": {"preemptionPolicy": "Never"}}));
    let expected = format!(
        "{sentence} no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never."
    );
    check(&three(), &pods, &never, &expected);
}

#[test]
fn only_pods_on_one_node_make_room() {
    let web = |name: &str, node: &str, priority| {
        on(node, important(pod(name, "1", json!({"metadata": {"labels": {"app": "web"}}})), priority))
    };
    let far = important(pod("p", "1", affinity("podAntiAffinity", "web", ZONE)), 10);
    // It does not help that one of those in the zone of b and c goes.
    let pods = [web("a1", "a", 5), web("b1", "b", 1), web("c1", "c", 1)];
    let expected = "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules. -> a: a1";
    check(&three(), &pods, &far, expected);
    let constraint = json!({
        "maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}}
    });
    let spread = json!({"spec": {"topologySpreadConstraints": [constraint]}});
    let nodes = [node("a", "x", json!({})), node("b", "y", json!({"spec": {"unschedulable": true}}))];
    let expected = "0/2 nodes are available: 1 node(s) didn't match pod topology spread constraints, \
                    1 node(s) were unschedulable. -> a: a2";
    let pods = [web("a1", "a", 20), web("a2", "a", 1), web("b1", "b", 1)];
    check(&nodes, &pods, &important(pod("web", "1", spread), 10), expected);
}

#[test]
fn budgets_protect_pods() {
    let filler = |name: &str, priority, labels: Value| {
        on(name, important(pod(name, "4", json!({"metadata": {"labels": labels}})), priority))
    };
    let wanted = important(pod("p", "4", json!({})), 10);
    let found = |labels: &Value, status: Value, selector: Value| {
        let mut stores = Stores::default();
        let budget = json!({
            "metadata": {"name": "budget", "namespace": "default"},
            "spec": {"selector": selector}, "status": status
        });
        stores.of_mut(&POD_DISRUPTION_BUDGETS).put(Arc::new(budget));
        let pods = [filler("a", 1, labels.clone()), filler("b", 5, json!({"app": "b"}))];
        let words = find(&three()[..2], &pods, &wanted, &stores);
        words.rsplit(": ").next().unwrap().to_owned()
    };
    let labels = json!({"app": "a"});
    let selector = json!({"matchLabels": {"app": "a"}});
    assert_eq!(found(&labels, json!({"disruptionsAllowed": 0}), selector.clone()), "b");
    assert_eq!(found(&labels, json!({"disruptionsAllowed": 1}), selector.clone()), "a");
    let gone = json!({"disruptionsAllowed": 0, "disruptedPods": {"a": "2027-01-15T08:00:00Z"}});
    assert_eq!(found(&labels, gone, selector), "a");
    let missing = json!({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]});
    assert_eq!(found(&Value::Null, json!({"disruptionsAllowed": 0}), missing.clone()), "a");
    let other = json!({"app": null, "tier": "web"});
    assert_eq!(found(&other, json!({"disruptionsAllowed": 0}), missing), "b");
}

#[test]
fn who_waits_for_a_node_is_left_the_place() {
    let waiting =
        with(important(pod("w", "4", json!({})), 10), json!({"status": {"nominatedNodeName": "a"}}));
    check(&three()[..1], std::slice::from_ref(&waiting), &important(pod("p", "1", json!({})), 20), "a");
    let expected = nowhere(1, "1 Insufficient cpu", "1 No preemption victims found for incoming pod");
    check(&three()[..1], std::slice::from_ref(&waiting), &pod("p", "1", json!({})), &expected);
    check(&three(), &[], &waiting, "a");
    let nominated_last = with(waiting, json!({"status": {"nominatedNodeName": "c"}}));
    check(&three(), &[], &nominated_last, "c");
    let going = json!({
        "metadata": {"deletionTimestamp": "2027-01-15T08:00:00Z"},
        "status": {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]}
    });
    let victim = on("c", pod("v", "4", going));
    let expected = "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: \
                    not eligible due to a terminating pod on the nominated node.";
    check(&three()[2..], &[victim], &nominated_last, expected);
}
