//! The trace of a cluster with traffic: controllers that write Pods and ConfigMaps, and a watch of the Pods. The same each
//! time.

use std::time::Duration;

use bytes::Bytes;
use protocol::trace::{
    AccessDecision, Attributes, Batch, Change, Delivery, Event, EventType, Layer, ObjectKey, RequestRecord,
    Source, State, Stored, Time, WatchInfo, WatchScope, Write,
};

/// The number of objects, every third a ConfigMap.
pub(crate) const OBJECTS: u64 = 3_000;
/// The number of writes of a batch.
const AT_ONCE: u64 = 100;
/// When it begins.
const BEGIN: Duration = Duration::from_secs(1_800_000_000);
/// The time from write to write: a thousand a second.
const STEP: Duration = Duration::from_micros(1_000);

/// The batches of so many writes.
pub(crate) fn batches(writes: u64) -> impl Iterator<Item = Batch> {
    let mut batch = Batch { number: 1, ..Batch::default() };
    batch.state = Some(State {
        revision: 1,
        watches: vec![watch()],
        time: Time { now: BEGIN, rate: 1.0 },
        ..State::default()
    });
    let rest = (0..writes.div_ceil(AT_ONCE)).map(move |number| {
        let mut batch = Batch { number: number + 2, ..Batch::default() };
        let own = number * AT_ONCE..writes.min((number + 1) * AT_ONCE);
        let mut deliveries = Vec::new();
        for index in own.clone() {
            let (write, request) = write(index);
            if write.key.resource == "pods" {
                let sent =
                    if write.change == Change::Created { EventType::Added } else { EventType::Modified };
                deliveries.push(Delivery { revision: write.revision, sent: Some(sent) });
            }
            batch.events.extend([Event::Write(write), Event::Request(Box::new(request))]);
        }
        batch.events.push(Event::Delivered { watch: 7, revision: own.end + 1, deliveries });
        if number.is_multiple_of(10) {
            batch.events.push(Event::Time(Time { now: time(own.end), rate: 1.0 }));
        }
        batch
    });
    std::iter::once(batch).chain(rest)
}

fn time(index: u64) -> Duration {
    BEGIN + STEP * u32::try_from(index).unwrap_or(u32::MAX)
}

fn watch() -> WatchInfo {
    let scope = WatchScope { resource: "pods".to_owned(), ..WatchScope::default() };
    WatchInfo { id: 7, uri: "/api/v1/pods?watch=1".to_owned(), scope, revision: 1, ..WatchInfo::default() }
}

/// Some digits that are others for each number: SplitMix64.
fn dice(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn write(index: u64) -> (Write, RequestRecord) {
    // The first writes make the objects; then they come in no order.
    let number = if index < OBJECTS { index } else { dice(index) % OBJECTS };
    let revision = index + 2;
    let created = index < OBJECTS;
    let namespace = format!("team-{}", number % 7);
    let is_map = number.is_multiple_of(3);
    let (resource, name) = match is_map {
        true => ("configmaps", format!("settings-{number}")),
        false => ("pods", format!("web-{:08x}-{:05x}", dice(number / 10) as u32, dice(number) & 0xf_ffff)),
    };
    let object = if is_map {
        config_map(number, index, &namespace, &name)
    } else {
        pod(number, index, &namespace, &name)
    };
    let (manager, method, subresource) = match (is_map, created) {
        (true, true) => ("kubectl", "POST", ""),
        (true, false) => ("settings-operator", "PUT", ""),
        (false, true) => ("kube-controller-manager", "POST", ""),
        (false, false) => ("kubelet", "PATCH", "/status"),
    };
    let collection = format!("/api/v1/namespaces/{namespace}/{resource}");
    let path = if created { collection } else { format!("{collection}/{name}{subresource}") };
    let verb = match method {
        "POST" => "create",
        "PUT" => "update",
        _ => "patch",
    };
    let attributes = Attributes {
        verb: verb.to_owned(),
        is_resource: true,
        resource: resource.to_owned(),
        subresource: subresource.trim_start_matches('/').to_owned(),
        namespace: namespace.clone(),
        name: if created { String::new() } else { name.clone() },
        path: path.clone(),
        ..Attributes::default()
    };
    let user = format!("system:serviceaccount:kube-system:{manager}");
    let mut access = AccessDecision { user, attributes, ..AccessDecision::default() };
    access.access.allowed = true;
    access.access.reason = format!(
        "RBAC: allowed by ClusterRoleBinding \"{manager}\" of ClusterRole \"{manager}\" to ServiceAccount \"{manager}/kube-system\""
    );
    let request = RequestRecord {
        id: index + 1,
        method: method.to_owned(),
        uri: if method == "PATCH" { format!("{path}?fieldManager={manager}") } else { path },
        at: time(index) + Duration::from_nanos(dice(index) % 1_000_000),
        code: if created { 201 } else { 200 },
        size: object.json.len() + 34,
        source: (!created).then_some(Source { layer: Layer::Store, revision: revision - 1 }),
        wrote: vec![revision],
        manager: manager.to_owned(),
        access: Some(access),
        ..RequestRecord::default()
    };
    let key = ObjectKey { group: String::new(), resource: resource.to_owned(), namespace, name };
    let change = if created { Change::Created } else { Change::Updated };
    (Write { revision, change, key, object: Some(object) }, request)
}

fn metadata(number: u64, index: u64, namespace: &str, name: &str) -> String {
    let uid = format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        dice(number) as u32,
        number & 0xffff,
        7,
        11,
        dice(number + 9) >> 16
    );
    format!(r#""name":"{name}","namespace":"{namespace}","uid":"{uid}","resourceVersion":"{}""#, index + 2)
}

fn date(index: u64) -> String {
    let seconds = time(index).as_secs() % 86_400;
    format!("2027-01-15T{:02}:{:02}:{:02}Z", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

fn config_map(number: u64, index: u64, namespace: &str, name: &str) -> Stored {
    let value = |key: u64| dice(number * 31 + key + if dice(index) % 8 == key { index } else { 0 });
    let data: Vec<String> = (0..8).map(|key| format!(r#""setting-{key}":"{:016x}""#, value(key))).collect();
    let json = format!(
        r#"{{"metadata":{{{},"creationTimestamp":"{}","labels":{{"app":"settings"}},"managedFields":[{{"manager":"settings-operator","operation":"Update","apiVersion":"v1","time":"{}","fieldsType":"FieldsV1","fieldsV1":{{"f:data":{{".":{{}},"f:setting-0":{{}},"f:setting-1":{{}},"f:setting-2":{{}},"f:setting-3":{{}}}},"f:metadata":{{"f:labels":{{".":{{}},"f:app":{{}}}}}}}}}}]}},"data":{{{}}}}}"#,
        metadata(number, index, namespace, name),
        date(number),
        date(index),
        data.join(",")
    );
    Stored {
        json: Bytes::from(json),
        labels: vec![("app".to_owned(), "settings".to_owned())],
        fields: Vec::new(),
    }
}

fn pod(number: u64, index: u64, namespace: &str, name: &str) -> Stored {
    let ready = dice(index).is_multiple_of(2);
    let (phase, state) = match ready {
        true => ("Running", format!(r#"{{"running":{{"startedAt":"{}"}}}}"#, date(index))),
        false => ("Pending", r#"{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 5m0s restarting failed container"}}"#.to_owned()),
    };
    let (node, ip) = (dice(number) % 40, dice(number) % 250);
    let status = if ready { "True" } else { "False" };
    let json = format!(
        r#"{{"metadata":{{"generateName":"web-{:08x}-",{},"creationTimestamp":"{}","labels":{{"app":"web","pod-template-hash":"{:08x}"}},"ownerReferences":[{{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-{:08x}","uid":"{:016x}","controller":true,"blockOwnerDeletion":true}}]}},"spec":{{"containers":[{{"name":"web","image":"registry.example.com/team/web:{}","resources":{{"requests":{{"cpu":"100m","memory":"128Mi"}}}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","nodeName":"node-{node}","schedulerName":"default-scheduler"}},"status":{{"phase":"{phase}","conditions":[{{"type":"Initialized","status":"True","lastTransitionTime":"{}"}},{{"type":"Ready","status":"{status}","lastTransitionTime":"{}"}},{{"type":"ContainersReady","status":"{status}","lastTransitionTime":"{}"}}],"hostIP":"10.0.0.{node}","podIP":"10.1.{node}.{ip}","containerStatuses":[{{"name":"web","state":{state},"ready":{ready},"restartCount":{}}}]}}}}"#,
        dice(number / 10) as u32,
        metadata(number, index, namespace, name),
        date(number),
        dice(number / 10) as u32,
        dice(number / 10) as u32,
        dice(number / 10 + 3),
        number % 5,
        date(number),
        date(index),
        date(index),
        index / OBJECTS,
    );
    let [labels, fields] = [
        vec![("app", "web".to_owned()), ("pod-template-hash", format!("{:08x}", dice(number / 10) as u32))],
        vec![("spec.nodeName", format!("node-{node}")), ("status.phase", phase.to_owned())],
    ]
    .map(|pairs| pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    Stored { json: Bytes::from(json), labels, fields }
}
